/** Who causes a task: users of the organization and its own rules, or people outside of it, such as readers of its public pages and senders of mails. */
export type Cause = 'ORGANIZATION' | 'OUTSIDE'

const outside = ' outside'

/** The name of the share of the work that a task is charged to. */
export const shareOf = (organizationId: string, cause: Cause): string =>
  cause === 'OUTSIDE' ? organizationId + outside : organizationId

export const isOutside = (share: string): boolean => share.endsWith(outside)
