import type { ErrorCode } from '../../subgraphs/kernel/errors.ts'
import { extensionExplanations } from './extension-explanations.ts'
import { limitExplanations, waitAndRetry, type Explanation } from './limit-explanations.ts'
import { syncExplanations } from './sync-explanations.ts'

const shortenQuery = 'Select fewer fields, ask for fewer records, or split the request.'
const correctInputs = 'Correct each input that `errors` names and send the request again.'
const newKey = 'Create a new key at `/v1/api-keys`, or ask an owner or admin of the organization for one.'

/** What each error code means and what to do, for the pages at `/errors/<code>`. */
export const explanationOfCode: Readonly<Record<ErrorCode, Explanation>> = {
  PERSISTED_QUERY_NOT_FOUND: {
    meaning: 'The request has only the hash of a GraphQL document that this server does not know yet.',
    action: 'Send the document together with its hash. Clients of automatic persisted queries do this by themselves.',
  },
  VALIDATION_FAILED: {
    meaning: 'At least one input is missing or breaks a rule; nothing was changed.',
    action: correctInputs,
  },
  MALFORMED_REQUEST: {
    meaning: 'The bytes that arrived are not a valid HTTP request, so the connection was closed.',
    action: 'Use an HTTP library, and check proxies between the client and the platform.',
  },
  INVALID_JSON: {
    meaning: 'The body is not valid JSON in UTF-8.',
    action: 'Send one JSON object. `detail` says where reading stopped.',
  },
  UNKNOWN_FIELD: {
    meaning: 'The body has a field that the operation does not accept, or a field that clients cannot set.',
    action: 'Leave out each field that `errors` names. Fields are never ignored silently.',
  },
  GRAPHQL_PARSE_FAILED: {
    meaning: 'The text of the GraphQL document has a syntax error.',
    action: 'Correct the document at the line and column that the error names.',
  },
  GRAPHQL_VALIDATION_FAILED: {
    meaning: 'The GraphQL document does not match the schema, for example because a field does not exist.',
    action: 'Compare the document with the schema, which the explorer shows.',
  },
  GRAPHQL_LIMIT_EXCEEDED: {
    meaning: 'The GraphQL document is too long, too deep, or asks for more than one request may.',
    action: shortenQuery,
  },
  QUERY_TOO_EXPENSIVE: {
    meaning: 'The database did not finish the query in two seconds, so it was stopped.',
    action: 'Leave out what `detail` names: for example the total, a text search or a sort order without an index.',
  },
  ANSWER_TOO_LARGE: {
    meaning:
      'The answer would have more than 8,388,608 bytes (a retrieval of metadata: 25,165,824); nothing was sent of it.',
    action: 'Ask for fewer records with `limit` or `first`, or for fewer fields.',
  },
  ONE_MUTATION_PER_REQUEST: {
    meaning: 'A mutation that signs in or out, or changes the own account, came together with another one.',
    action: 'Send each of these mutations in a request of its own.',
  },
  INTROSPECTION_DISABLED: {
    meaning: 'The schema was requested without a credential.',
    action: 'Send an API key or an access token with the introspection query.',
  },
  OPERATION_RESOLUTION_FAILURE: {
    meaning: 'The GraphQL document has no operation, or several and the request does not say which to run.',
    action: 'Send `operationName` with the name of one operation in the document.',
  },
  BAD_USER_INPUT: {
    meaning: 'A GraphQL variable or argument has a value that its type does not accept.',
    action: 'Correct the variable that the message names.',
  },
  COMPILE_ERROR: {
    meaning:
      'The source of a function is no valid module: its syntax is wrong, it imports something, or it fails when it is loaded.',
    action: 'Correct the source at `line` and `column`. Export one function as default, and import nothing.',
  },
  CREDENTIALS_CONFLICT: {
    meaning: '`X-API-Key` and `Authorization` contain different API keys.',
    action: 'Send one key.',
  },
  UNAUTHENTICATED: {
    meaning: 'The request has no credential, or one that is not valid.',
    action: 'Send an API key as `X-API-Key`, or an access token as `Authorization: Bearer <token>`.',
  },
  TOKEN_EXPIRED: {
    meaning: 'The access token is past its lifetime.',
    action: 'Refresh the session at `/v1/auth/refresh`, or the token of an app at `/v1/oauth/token`.',
  },
  API_KEY_INVALID: { meaning: 'No key has this secret, or the key was revoked or deleted.', action: newKey },
  API_KEY_EXPIRED: {
    meaning: 'The key is past `expiresAt`, or the secret was replaced and its overlap has ended.',
    action: 'Use the current secret, or move `expiresAt` of the key to the future.',
  },
  API_KEY_OWNER_INACTIVE: {
    meaning: 'The user as whom the key acts is deactivated.',
    action: 'Ask an owner or admin to reactivate the user, or use a key of another user.',
  },
  API_KEY_OWNER_NOT_IN_ORG: {
    meaning: 'The user as whom the key acts has left the organization.',
    action: newKey,
  },
  ORGANIZATION_SUSPENDED: {
    meaning: 'The organization is suspended, so none of its credentials works.',
    action: 'Ask the operator of the platform to resume the organization.',
  },
  ENTITLEMENT_REQUIRED: {
    meaning: 'The plan of the organization does not include the feature in `requiredEntitlement`.',
    action: 'Ask the operator of the platform to add the feature to the plan.',
  },
  PERMISSION_DENIED: {
    meaning:
      'The role of the user does not allow the operation. With `isAnswered: true`, a request with this idempotency key was answered before, and the answer is not given again, because the user or the credential may do less since.',
    action: 'Ask an owner or admin to do it, or to change the role of the user.',
  },
  EMAIL_NOT_VERIFIED: {
    meaning:
      'Mails to others through the mail server of the platform need a verified email address of the user who sends them.',
    action:
      'Follow the link in the mail of your registration, or sign in with a mailed link, which verifies the address. Mails from a mailbox of your own need no verified address.',
  },
  FIELD_NOT_WRITABLE: {
    meaning: 'The access profile of the user does not let the user change a field of the request.',
    action: 'Leave out the fields that `errors` names, or ask an owner or admin to change the profile.',
  },
  FIELD_NOT_READABLE: {
    meaning: 'A filter, a sort order or a lookup uses a field that the access profile of the user hides.',
    action: 'Leave out the fields that `errors` names, or ask an owner or admin to change the profile.',
  },
  CSRF_TOKEN_INVALID: {
    meaning: 'A request that changes something is authenticated by a cookie and has no valid CSRF token.',
    action: 'Get a token at `/v1/auth/csrf-token`, and send it as the header `X-CSRF-Token` and as the cookie.',
  },
  API_KEY_SCOPE_BLOCKED: {
    meaning: 'The operation is for signed-in users only; API keys and apps can never call it.',
    action: 'Sign in and send the access token of the session.',
  },
  API_KEY_SCOPE_INSUFFICIENT: {
    meaning: 'The API key does not have the scopes in `missingScopes`.',
    action: 'Add these scopes to the key. A WRITE scope includes the READ scope.',
  },
  OAUTH_SCOPE_INSUFFICIENT: {
    meaning: 'The access token of the app does not have the scopes in `missingScopes`.',
    action: 'Ask the user for consent to these scopes.',
  },
  OAUTH_TOKEN_REQUIRED: {
    meaning: 'An app reads its own data here, so only an OAuth access token is accepted.',
    action: 'Send an access token of the app.',
  },
  API_KEY_IP_NOT_ALLOWED: {
    meaning: 'The key has an allow-list of addresses, and the address of the client is not in it.',
    action: 'Add the address to `ipAllowList` of the key.',
  },
  NOT_FOUND: {
    meaning: 'The path or the record does not exist, is deleted, or the caller may not see it.',
    action: 'Check the id, the organization of the credential and the record visibility of the user.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path exists, but not with this HTTP method.',
    action: 'Use one of the methods in the header `Allow`.',
  },
  NOT_ACCEPTABLE: {
    meaning: 'The header `Accept` allows none of the media types that the operation can answer with.',
    action: 'Accept `application/json`.',
  },
  REQUEST_TIMEOUT: {
    meaning: 'The request did not arrive completely in time, so the connection was closed.',
    action: 'Send the request again without pauses.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    meaning: 'The `Idempotency-Key` was used in the last 24 hours with another method, path or body.',
    action: 'Use a new key for each new request, and the same key only to repeat a request.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    meaning: 'The first request with this `Idempotency-Key` is still running.',
    action: waitAndRetry,
  },
  UNIQUE_VIOLATION: {
    meaning: 'Another record already has a value that must be unique; nothing was changed.',
    action: 'Choose another value for the inputs that `errors` names, or change the other record.',
  },
  DUPLICATE_DETECTED: {
    meaning:
      'The change would make a record that may exist already, and the request or a rule of the organization forbids that. Nothing was changed.',
    action:
      'Use one of the records in `candidates` or `errors`, or allow that existing records are used or new ones are created. A rule of duplicates is overridden by `Prefer: duplicates=allow`, in GraphQL also by `mutation @allowDuplicates`.',
  },
  INVALID_STATE: {
    meaning: 'The operation is not possible in the state of the record; nothing was changed.',
    action:
      'Read the record again. `allowed` lists the statuses that you can set for it as it is, and `operations` the operation that sets each of them: its operationId, which is also the name of the mutation. Both are empty where the platform or the customer decides. Whether you may call an operation at all is checked first, with 403 in every state.',
  },
  CONVERSATION_BUSY: {
    meaning: 'Another message of this conversation is being answered, for example for a second tab.',
    action: 'Wait until that answer is complete, or for `Retry-After` seconds, then send the message again.',
  },
  TOO_SOON: {
    meaning: 'The operation was done a short time ago and may not be repeated yet; nothing was changed.',
    action: 'Repeat it at `retryAt` or later.',
  },
  VERSION_CONFLICT: {
    meaning: 'The record has changed since the caller read it; nothing was changed.',
    action: 'Read the record again, and repeat the change with its new version.',
  },
  HAS_DEPENDENTS: {
    meaning: 'Other records depend on this one, so it cannot be removed; `count` and `dependents` tell of lookups.',
    action: 'Remove or reassign the dependent records first.',
  },
  LIMIT_REACHED: {
    meaning:
      'The organization has as many of these definitions or developer organizations as it can have; `limit` is the number. With `retryAt` it has created as many as it may in 24 hours.',
    action: 'Delete one that is no longer needed, or change an existing one. With `retryAt`, wait until then.',
  },
  ENDPOINT_SUNSET: {
    meaning: 'The endpoint was deprecated and is past its sunset date.',
    action: 'Use the successor that the header `Link` names.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The body has more bytes or more values than one request may have.',
    action: 'Send less in one request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The body has a content type or an encoding that the operation does not read.',
    action: 'Send `Content-Type: application/json` and UTF-8 without compression.',
  },
  EXPECTATION_FAILED: {
    meaning: 'The header `Expect` asks for something other than `100-continue`.',
    action: 'Leave out the header `Expect`.',
  },
  DEPTH_EXCEEDED: {
    meaning: 'Automations have started one another five times, and another one would be the sixth.',
    action: 'Look for a function, trigger or workflow whose own changes start it again, and let it ignore them.',
  },
  ...extensionExplanations,
  ...syncExplanations,
  ...limitExplanations,
  HEADERS_TOO_LARGE: {
    meaning: 'The headers of the request have more than 32,768 bytes together.',
    action: 'Send fewer or shorter headers; often a cookie is too long.',
  },
  INTERNAL: {
    meaning: 'The platform made an error. The answer shows no details of it.',
    action: 'Send the `requestId` to the operator of the platform; it leads to the details in the log.',
  },
  MODEL_FAILED: {
    meaning: 'The language model refused the request, or its answer could not be used. Nothing was changed.',
    action: 'Send the request again. If it fails again, tell the operator of the platform, who configures the model.',
  },
  UNAVAILABLE: {
    meaning: 'A part of the platform does not respond, or too many requests of all clients are waiting.',
    action: waitAndRetry,
  },
}
