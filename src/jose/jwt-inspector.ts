import type { JwtInspector } from '../ports/jwt-inspector.ts';
import { parseCompactJws, parseObject, signatureProblem } from './compact-jws.ts';

export const joseJwtInspector: JwtInspector = {
  inspect(jwt, lengthMax) {
    const jws = parseCompactJws(jwt, lengthMax);
    if ('reason' in jws) return jws;
    const claims = parseObject(jws.payload)?.members;
    return claims === undefined ? { reason: 'malformed' } : { compact: jwt, header: jws.header, claims };
  },
  signatureProblem,
};
