import { randomUUID } from 'node:crypto'
import { actingAs, signedIn, startSession } from '../../subgraphs/identity/session/session.actions.ts'
import { findUser } from '../../subgraphs/identity/user/user.ts'
import { inTransaction, systemContext } from '../../subgraphs/kernel/request.ts'
import type { Member, Platform } from '../platform.ts'

type User = Pick<Member, 'organizationId' | 'userId'>

/** A new session of a user, with its first tokens. */
export async function newSession({ services }: Pick<Platform, 'services'>, { organizationId, userId }: User) {
  const user = await findUser(services.database, organizationId, userId)
  if (!user) throw new Error(`There is no user ${userId}.`)
  const ctx = actingAs({ ...systemContext(services, organizationId), requestId: randomUUID() }, user)
  return inTransaction(ctx, async (inner) => signedIn(inner, user, await startSession(inner)))
}

/** The access token of a new session. */
export const sessionOf = async (platform: Pick<Platform, 'services'>, user: User): Promise<string> =>
  (await newSession(platform, user)).accessToken
