import type { RequestContext } from '../../kernel/request.ts'
import type { Values } from '../../kernel/record/predicate.ts'
import { insertRow, updateRow } from '../../kernel/record/write-change.ts'
import type { KnownAs, User } from './user.ts'

type Columns = Readonly<Record<string, unknown>>
type Statement = (values: Values) => string

/** The statement that changes columns of a user, if the SQL condition holds. */
export const updateUserRow =
  ({ organizationId, id }: Pick<User, 'organizationId' | 'id'>, columns: Columns, condition?: string): Statement =>
  (values) =>
    updateRow(values, 'identity.app_user', columns, { organization_id: organizationId, id }, condition)

/** The statement that changes columns of a person, if the SQL condition holds. */
export const updatePersonRow =
  (id: string, columns: Columns, condition?: string): Statement =>
  (values) =>
    updateRow(values, 'identity.person', columns, { id }, condition)

/** An invited person without any activity: no password, no verified address, and no accepted membership. */
export async function findNewcomer({ db }: RequestContext, email: string): Promise<string | null> {
  const [found] = await db.query<{ id: string }>(
    `select p.id from identity.person p
     where p.email = $1 and p.password_hash is null and p.email_verified_at is null and not exists (
       select 1 from identity.app_user u where u.person_id = p.id and not u.must_accept and u.left_at is null)`,
    [email],
  )
  return found?.id ?? null
}

export interface NewPerson extends KnownAs {
  readonly id: string
  readonly email: string
  readonly passwordHash: string | null
  readonly isEmailVerified?: boolean
  readonly timezone?: string
  readonly now: string
}

const columnsOf = ({ passwordHash, name, firstName, lastName, now }: NewPerson) => ({
  password_hash: passwordHash,
  name,
  first_name: firstName,
  last_name: lastName,
  updated_at: now,
})

/** The condition that the statement `person` has written its row. */
export const personIsWritten = 'exists (select from person)'

/** The statement that inserts a person; it returns no row when another person has the address. */
export const insertPerson = (values: Values, person: NewPerson): string =>
  insertRow(
    values,
    'identity.person',
    {
      id: person.id,
      email: person.email,
      created_at: person.now,
      email_verified_at: person.isEmailVerified === true ? person.now : null,
      ...(person.timezone && { timezone: person.timezone }),
      ...columnsOf(person),
    },
    'on conflict (email) do nothing',
  )

/** The statement that sets the first password and the names of a newcomer, who must be locked. */
export const claimNewcomer = (values: Values, person: NewPerson): string =>
  updatePersonRow(person.id, columnsOf(person))(values)
