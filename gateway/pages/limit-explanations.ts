import type { ErrorCode } from '../../subgraphs/kernel/errors.ts'

export interface Explanation {
  /** When a request is refused with the code. */
  readonly meaning: string
  /** What the caller can do. */
  readonly action: string
}

export const waitAndRetry = 'Wait for the number of seconds in `Retry-After`, then send the same request again.'

/** The codes of limits that a client, a user or an organization has reached. */
export const limitExplanations = {
  API_KEY_RATE_LIMITED: { meaning: 'The API key has used up its quota for the current window.', action: waitAndRetry },
  OAUTH_RATE_LIMITED: {
    meaning: 'The app has used up its quota in this organization for the current window.',
    action: waitAndRetry,
  },
  API_KEY_AUTH_THROTTLED: {
    meaning: 'Too many requests from this address had an API key that is not valid.',
    action: `Correct the key. ${waitAndRetry}`,
  },
  SIGN_IN_THROTTLED: { meaning: 'There were too many failed sign-ins or registrations.', action: waitAndRetry },
  MAIL_RATE_LIMITED: { meaning: 'Too many mails were requested.', action: waitAndRetry },
  MODEL_RATE_LIMITED: { meaning: 'Too many texts of the language model were requested.', action: waitAndRetry },
  TOKEN_LIMIT_REACHED: {
    meaning: 'The user or the organization has used its tokens of language models: those of the day, or of the month.',
    action:
      'Wait for `Retry-After` seconds, or use a mode without a model. The operator of the platform can raise the limit.',
  },
  STORAGE_LIMIT_EXCEEDED: {
    meaning:
      'The organization stores as many bytes as it may: records, events, bodies of webhooks and mails together. `storage` of `/v1/api-usage/summary` shows how many.',
    action:
      'Nothing was changed. Reading and deleting still work. Events and bodies of webhooks are dropped after some weeks; the operator of the platform can raise the limit.',
  },
  STORAGE_RATE_LIMITED: {
    meaning:
      'The organization has written as many bytes as it may in an hour. A change of a large record counts several times its size, because its event has the record before and after it, and each webhook may store a body.',
    action: `Nothing was changed. ${waitAndRetry}`,
  },
  IP_RATE_LIMITED: { meaning: 'Too many requests came from this address.', action: waitAndRetry },
  STREAM_LIMIT_REACHED: {
    meaning: 'The organization has as many open live streams or subscriptions as it may have; `limit` is their number.',
    action: `Close one that is not needed. ${waitAndRetry}`,
  },
  CONNECTION_LIMIT_REACHED: {
    meaning: 'The address of the client has as many open connections or websockets as it may have.',
    action: `Close those that are not needed, and use one for many requests. ${waitAndRetry}`,
  },
  UNREAD_LIMIT_REACHED: {
    meaning: 'The organization, or without a credential the address, has not yet read 32 MB of earlier answers.',
    action: `Read the answers, or ask for smaller ones with \`limit\`. ${waitAndRetry}`,
  },
  CONCURRENCY_LIMIT_REACHED: {
    meaning:
      'Too many requests of the organization, or without a credential of the address, are waiting for its share of the database or of the threads that make documents, mails and scores. Other organizations are served.',
    action: `Send fewer requests at the same time. ${waitAndRetry}`,
  },
  FUNCTION_THROTTLED: {
    meaning:
      'The functions of your organization have run 600 times or used 60 seconds of CPU within a minute, or too many of them wait. This one did not run.',
    action: 'Wait for the number of seconds in `Retry-After`, then send the same request again.',
  },
  AUTOMATION_RATE_LIMITED: {
    meaning:
      'The automations of the organization have made as many calls as all of them together may make in a minute.',
    action: `Let automations read several records with one call, or start them less often. ${waitAndRetry}`,
  },
} as const satisfies Partial<Record<ErrorCode, Explanation>>
