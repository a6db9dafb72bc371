import { CLIENT_METADATA } from '../../spec/client-metadata.ts';
import type { MetadataLimits } from '../../spec/client-metadata-checks.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { Mistake } from '../../spec/metadata-mistake.ts';

/** Lists from which the server takes a value for the member (OpenID Connect Relying Party Metadata Choices 1.0 §2). */
const CHOICES = {
  token_endpoint_auth_methods_supported: 'token_endpoint_auth_method',
  id_token_signing_alg_values_supported: 'id_token_signed_response_alg',
  subject_types_supported: 'subject_type',
} as const;

/**
 * Fills in the members that a request leaves to the server: with the first value of the list that the server has. A member that
 * the request gives itself stays as it is. A list without a value of the server is a mistake, because the default would be one
 * that the client cannot use.
 */
export function chooseValues(
  given: { [name: string]: JsonValue },
  limits: MetadataLimits,
  mistakes: Mistake[],
): void {
  for (const [list, member] of Object.entries(CHOICES)) {
    const values = given[list];
    const row = CLIENT_METADATA[member];
    if (!Array.isArray(values) || row === undefined) continue;
    if (given[member] !== undefined || mistakes.some((mistake) => mistake.member === member)) continue;
    const checked = values.map((value) => row.check(value as JsonValue, limits));
    const chosen = checked.find((outcome) => 'value' in outcome);
    if (chosen !== undefined) {
      given[member] = chosen.value;
      continue;
    }
    const [{ allowed = [] } = {}] = checked.flatMap((outcome) =>
      'problems' in outcome ? outcome.problems : [],
    );
    const rule = `has no value that this server takes as ${member}; allowed: ${allowed.join(', ')}`;
    mistakes.push({ member: list, rule, allowed });
  }
}
