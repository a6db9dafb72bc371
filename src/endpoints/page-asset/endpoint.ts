import type { Pages } from '../../ports/pages.ts';
import { NotFound } from '../../spec/errors.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

/** Caches keep an asset for a year, because its name changes with its content. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable' } as const;

/** Serves the files of pages: style sheets, pictures of a theme, one script. */
export function pageAsset({ pages }: { readonly pages: Pages }): Endpoint {
  return {
    contract,
    handle({ segment }) {
      const asset = pages.asset(segment);
      if (asset === undefined) throw new NotFound();
      return { status: 200, headers: { 'content-type': asset.mediaType, ...KEPT }, body: asset.body };
    },
  };
}
