import type { ErrorCode } from '../../subgraphs/kernel/errors.ts'
import type { Explanation } from './limit-explanations.ts'

/** Refusals by what an organization has added to the platform. */
export const extensionExplanations = {
  VALIDATION_RULE_FAILED: {
    meaning:
      'A validation rule that an administrator of your organization has made refuses the record as it would be after the change. Nothing was changed. `errors` lists every rule that refuses it, with its message and its field.',
    action: 'Change what the messages in `errors` say, and send the request again.',
  },
  HOOK_REJECTED: {
    meaning:
      'A hook that an administrator of your organization has made decided against the change. Nothing was changed. `hook` is its name, and `errors` has its message and the field that it names.',
    action: 'Change what the message says, and send the request again, or ask the administrator of the hook.',
  },
  HOOK_RECURSION: {
    meaning:
      'A function has made a change on which a hook lets the same function decide, so it would wait for itself. Nothing was changed; `hook` is the name of the hook.',
    action:
      'Let the function of the hook return its changes in its answer, or let another function decide on what this one writes.',
  },
  HOOK_UNAVAILABLE: {
    meaning:
      'A hook of your organization without which such a change must not be saved took too long, failed or gave an answer that is not valid. Nothing was changed, and the answer is not stored for the `Idempotency-Key`.',
    action:
      'Wait for the number of seconds in `Retry-After`, then send the same request again. Administrators see the reason in `lastError` of the hook that `hook` names.',
  },
  CREDENTIAL_INACTIVE: {
    meaning: 'The named credential with which the request would be sent is turned off, so nothing was sent.',
    action: 'Let an owner or admin turn it on: `PATCH /v1/named-credentials/{id}` with `isActive: true`.',
  },
  CREDENTIAL_SECRET_MISSING: {
    meaning:
      'The named credential with which the request would be sent needs a secret and has none, so nothing was sent.',
    action: 'Let an owner or admin set it: `PUT /v1/named-credentials/{id}/secret`.',
  },
} as const satisfies Partial<Record<ErrorCode, Explanation>>
