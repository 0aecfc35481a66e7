import { randomUUID } from 'node:crypto'
import { actingAs, signedIn, startSession } from '../../subgraphs/identity/session/session.actions.ts'
import { findUser } from '../../subgraphs/identity/user/user.ts'
import { inTransaction, systemContext } from '../../subgraphs/kernel/request.ts'
import type { Member, Platform } from '../platform.ts'

type User = Pick<Member, 'organizationId' | 'userId'>

/** Creates a session of a user and returns its tokens. */
export async function newSession({ services }: Pick<Platform, 'services'>, { organizationId, userId }: User) {
  const user = await findUser(services.database, organizationId, userId)
  if (!user) throw new Error(`The user ${userId} must exist.`)
  const ctx = actingAs({ ...systemContext(services, organizationId), requestId: randomUUID() }, user)
  return inTransaction(ctx, async (inner) => signedIn(inner, user, await startSession(inner)))
}

/** Creates a session of a user and returns its access token. */
export const sessionOf = async (platform: Pick<Platform, 'services'>, user: User): Promise<string> =>
  (await newSession(platform, user)).accessToken
