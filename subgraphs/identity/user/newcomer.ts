import type { RequestContext } from '../../kernel/request.ts'
import type { User } from './user.ts'

/** Condition for an invited person without any activity: no password, no verified address, and no accepted membership. */
const isNewcomer = `p.password_hash is null and p.email_verified_at is null and not exists (
  select 1 from identity.app_user u where u.person_id = p.id and not u.must_accept and u.left_at is null)`

export async function findNewcomer({ db }: RequestContext, email: string): Promise<string | null> {
  const [found] = await db.query<{ id: string }>(
    `select p.id from identity.person p where p.email = $1 and ${isNewcomer}`,
    [email],
  )
  return found?.id ?? null
}

interface Claim extends Pick<User, 'name' | 'firstName' | 'lastName'> {
  readonly passwordHash: string | null
}

/** Sets the first password and the names of an invited person without activity; false for other persons. The person must be locked. */
export async function claimNewcomer({ db, clock }: RequestContext, personId: string, claim: Claim): Promise<boolean> {
  const { passwordHash, name, firstName, lastName } = claim
  const claimed = await db.query(
    `update identity.person p set password_hash = $2, name = $3, first_name = $4, last_name = $5, updated_at = $6
     where p.id = $1 and ${isNewcomer} returning p.id`,
    [personId, passwordHash, name, firstName, lastName, clock.now().toISOString()],
  )
  return claimed.length === 1
}
