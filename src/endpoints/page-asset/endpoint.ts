import type { Pages } from '../../ports/pages.ts';
import { NotFound } from '../../spec/errors.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

/** A year: the name of an asset changes with its content. */
const KEPT = { 'cache-control': 'public, max-age=31536000, immutable' } as const;

/** What pages refer to: style sheets, pictures of a theme, one script. */
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
