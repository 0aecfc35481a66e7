import { isId } from '../../subgraphs/kernel/ids.ts'

/** A user in an organization, which is an account of the authorization server. */
export interface Account {
  readonly organizationId: string
  readonly userId: string
}

/** The subject (`sub`) of tokens: `<organization id>.<user id>`. */
export const accountId = ({ organizationId, userId }: Account): string => `${organizationId}.${userId}`

export function parseAccountId(text: unknown): Account | null {
  const [organizationId, userId, ...rest] = String(text).split('.')
  return isId(organizationId) && isId(userId) && rest.length === 0 ? { organizationId, userId } : null
}
