import type { VNode } from 'preact';
import type { Members } from '../../state/merge-patch.ts';
import { type MessageKey, t, tWord } from '../../state/messages.ts';
import { details, div, fieldset, legend, p, summary } from '../../view/elements.ts';
import { areaField, check, selectField, textField } from '../../view/fields.ts';
import { GRANT_TYPES } from './describe.ts';

interface FormProps {
  readonly metadata: Members;
  /** By JSON pointer into the metadata. */
  readonly faults: ReadonlyMap<string, string>;
  readonly readOnly: boolean;
  /** Takes a merge patch. */
  readonly change: (members: Members) => void;
}

const AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
  'none',
];

/** The members that most clients have. The page for JSON has all of them. */
export function metadataForm(props: FormProps): VNode {
  return div(
    { class: 'stack' },
    div(
      { class: 'fields' },
      textOf(props, 'client_name', 'form.client_name'),
      choiceOf(props, 'application_type', 'form.application_type', ['web', 'native']),
      choiceOf(props, 'token_endpoint_auth_method', 'client.auth_method', AUTH_METHODS),
      textOf(props, 'scope', 'clients.scope', 'form.scope.hint'),
    ),
    linesOf(props, 'redirect_uris', 'client.redirect_uris'),
    linesOf(props, 'post_logout_redirect_uris', 'form.post_logout_redirect_uris'),
    grantTypes(props),
    details(
      null,
      summary(null, t('form.more')),
      div(
        { class: 'stack' },
        p(null),
        div(
          { class: 'fields' },
          textOf(props, 'client_uri', 'form.client_uri'),
          textOf(props, 'logo_uri', 'form.logo_uri'),
          textOf(props, 'policy_uri', 'form.policy_uri'),
          textOf(props, 'tos_uri', 'form.tos_uri'),
          textOf(props, 'jwks_uri', 'form.jwks_uri'),
          textOf(props, 'backchannel_logout_uri', 'form.backchannel_logout_uri'),
        ),
        linesOf(props, 'contacts', 'form.contacts'),
        flagOf(props, 'require_pushed_authorization_requests', 'form.par'),
        flagOf(props, 'dpop_bound_access_tokens', 'form.dpop'),
      ),
    ),
  );
}

/** Returns the fault of a member, or of one of its values. */
function faultOf({ faults }: FormProps, member: string): string | undefined {
  const found = [...faults].find(([at]) => at === `/${member}` || at.startsWith(`/${member}/`));
  return found?.[1];
}

function textOf(props: FormProps, member: string, label: MessageKey, hint?: MessageKey): VNode {
  const value = props.metadata[member];
  return textField({
    label: t(label),
    ...(hint === undefined ? {} : { hint: t(hint) }),
    value: typeof value === 'string' ? value : '',
    wrong: faultOf(props, member),
    readOnly: props.readOnly,
    onInput: (given) => props.change({ [member]: given === '' ? null : given }),
  });
}

function choiceOf(props: FormProps, member: string, label: MessageKey, values: readonly string[]): VNode {
  const value = props.metadata[member];
  return selectField({
    label: t(label),
    value: typeof value === 'string' ? value : '',
    choices: values.map((each) => ({ value: each, label: tWord(member, each) })),
    wrong: faultOf(props, member),
    readOnly: props.readOnly,
    onInput: (given) => props.change({ [member]: given }),
  });
}

/** A list of texts, one on each line. */
function linesOf(props: FormProps, member: string, label: MessageKey): VNode {
  const values = textsOf(props.metadata[member]);
  return areaField({
    label: t(label),
    hint: t('form.lines.hint'),
    value: values.join('\n'),
    rows: Math.max(2, values.length + 1),
    code: true,
    wrong: faultOf(props, member),
    readOnly: props.readOnly,
    onInput: (given) => {
      const lines = given.split('\n').map((line) => line.trim());
      // The line that the person is about to begin stays.
      const kept = lines.filter((line, index) => line !== '' || index === lines.length - 1);
      const isNothing = kept.every((line) => line === '');
      props.change({
        [member]: isNothing
          ? null
          : kept.length > 1 && kept.at(-1) === ''
            ? [...kept.slice(0, -1), '']
            : kept,
      });
    },
  });
}

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

function grantTypes(props: FormProps): VNode {
  const chosen = textsOf(props.metadata['grant_types']);
  const wrong = faultOf(props, 'grant_types');
  return fieldset(
    { class: 'field' },
    legend(null, t('clients.grant_types')),
    div(
      { class: 'fields' },
      GRANT_TYPES.map((grant) =>
        check({
          label: tWord('grant_type', grant),
          checked: chosen.includes(grant),
          disabled: props.readOnly,
          onChange: (isOn) =>
            props.change({
              grant_types: isOn ? [...chosen, grant] : chosen.filter((one) => one !== grant),
            }),
        }),
      ),
    ),
    wrong === undefined ? null : p({ class: 'wrong' }, wrong),
  );
}

function flagOf(props: FormProps, member: string, label: MessageKey): VNode {
  return check({
    label: t(label),
    checked: props.metadata[member] === true,
    disabled: props.readOnly,
    onChange: (isOn) => props.change({ [member]: isOn ? true : null }),
  });
}
