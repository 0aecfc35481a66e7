import { isId, newId } from '../kernel/ids.ts'
import { asSystem, inTransaction, systemContext, type RequestContext, type Services } from '../kernel/request.ts'
import { createApiKey as create, type NewKey } from './api-key/api-key.actions.ts'
import type { ApiKey } from './api-key/api-key.ts'
import { rotateApiKey as rotate } from './api-key/rotate.ts'
import { developerOrgsOf } from './developer-org/developer-org.ts'
import {
  addOrganization,
  normalizeCode,
  setEntitlements as setFeatures,
  setOrganizationStatus,
  type NewOrganization,
} from './organization/organization.actions.ts'
import { findOrganization, findOrganizationByCode, type Organization } from './organization/organization.ts'
import { inHashSlot } from './password/hash-slots.ts'
import { hashPassword, passwordProblems } from './password/password.ts'
import { addTeam, type NewTeam } from './team/team.actions.ts'
import type { Team } from './team/team.ts'
import { emailProblems, nameLengthMax, normalizeEmail, refuseAny, textProblems } from './text.ts'
import { addUser, changeUser, removeUserFromOrganization, type UserChange } from './user/user.actions.ts'
import { findPerson, type User } from './user/user.ts'

// Functions for the operator of the platform, used by the demo, tests and command-line programs. They apply the same rules and write
// the same events as requests, but check no caller.

export function createOrganization(services: Services, wanted: NewOrganization): Promise<Organization> {
  const id = wanted.id ?? newId()
  return inTransaction(systemContext(services, id), (ctx) => addOrganization(ctx, { ...wanted, id }))
}

export interface FirstOwner extends Pick<OperatorUser, 'email' | 'name'> {
  /** For a new person; an existing account keeps its password. */
  readonly password: string
}

/** Creates an organization and its first owner in one transaction. `isNew`: the owner had no account, so the password is set. */
export async function createOrganizationWithOwner(
  services: Services,
  wanted: NewOrganization,
  { password, ...owner }: FirstOwner,
): Promise<{ readonly organization: Organization; readonly isNew: boolean }> {
  const email = normalizeEmail(owner.email)
  refuseAny([
    ...textProblems('name', wanted.name, { min: 1, max: nameLengthMax }),
    ...textProblems('name of the owner', owner.name, { min: 1, max: nameLengthMax }),
    ...emailProblems(email),
  ])
  const person = await findPerson(services.database, email)
  const passwordHash = person ? null : await hashPassword(password)
  const id = newId()
  const user = { id: newId(), organizationId: id, email, name: owner.name, firstName: null, lastName: null } as const
  const organization = await inTransaction(systemContext(services, id), async (ctx) => {
    const added = await addOrganization(ctx, { ...wanted, id })
    await addUser(ctx, { ...user, role: 'OWNER', visibility: 'ALL', personId: person?.id ?? null, passwordHash })
    return added
  })
  return { organization, isNew: !person }
}

export interface OperatorUser extends Pick<User, 'email' | 'name' | 'role' | 'visibility'> {
  readonly id?: string
  /** The operator knows that the person reads the address. An existing account keeps its state. */
  readonly isEmailVerified?: boolean
  /** Time zone of a new person; UTC by default. */
  readonly timezone?: string
  readonly firstName?: string | null
  readonly lastName?: string | null
  /** Absent: the user cannot sign in with a password. An existing account keeps its password. */
  readonly password?: string
  /** Alternative to `password`: the hash of a password that several users share, so that it is hashed once. */
  readonly passwordHash?: string
}

export async function createUser(services: Services, organizationId: string, wanted: OperatorUser): Promise<User> {
  const email = normalizeEmail(wanted.email)
  const { id = newId(), password, firstName = null, lastName = null } = wanted
  refuseAny([...emailProblems(email), ...(password === undefined ? [] : passwordProblems(password))])
  const person = await findPerson(services.database, email)
  const hashed =
    wanted.passwordHash ??
    (password === undefined ? null : await inHashSlot(() => hashPassword(password), { db: services.database }))
  const passwordHash = person ? null : hashed
  return inTransaction(systemContext(services, organizationId), (ctx) =>
    addUser(ctx, {
      ...wanted,
      id,
      organizationId,
      email,
      firstName,
      lastName,
      personId: person?.id ?? null,
      passwordHash,
    }),
  )
}

export function createTeam(services: Services, organizationId: string, wanted: NewTeam): Promise<Team> {
  return inTransaction(systemContext(services, organizationId), (ctx) => addTeam(ctx, wanted))
}

/** The answer contains the secret, given or generated. */
export async function createApiKey(
  services: Services,
  organizationId: string,
  wanted: NewKey & { readonly ownerId: string },
): Promise<ApiKey & { secret: string }> {
  if (!isId(wanted.ownerId)) throw new Error('ownerId must be the id of a user.')
  const key = await create(systemContext(services, organizationId), wanted)
  return { ...key, secret: key.secret! }
}

export const rotateApiKey = (
  services: Services,
  organizationId: string,
  id: string,
  overlapHours: number,
): Promise<ApiKey> => rotate(systemContext(services, organizationId), id, overlapHours)

/** Finds an organization by id or by code; null when there is none. */
export async function organizationIdOf({ database }: Pick<Services, 'database'>, name: string): Promise<string | null> {
  const found = isId(name)
    ? await findOrganization(database, name)
    : await findOrganizationByCode(database, normalizeCode(name))
  return found?.id ?? null
}

/** Changes an organization and its developer organizations in the same way, in one transaction. */
const changeWithDeveloperOrgs = (
  services: Services,
  organizationId: string,
  change: (ctx: RequestContext) => Promise<Organization>,
): Promise<Organization> =>
  inTransaction(systemContext(services, organizationId), async (ctx) => {
    // It locks the organization, so that no developer organization is created meanwhile.
    const changed = await change(ctx)
    for (const { id } of await developerOrgsOf(ctx.db, organizationId)) await change(asSystem(ctx, id))
    return changed
  })

/** Its developer organizations are suspended, and resumed, with it. */
export const suspendOrganization = (services: Services, organizationId: string): Promise<Organization> =>
  changeWithDeveloperOrgs(services, organizationId, (ctx) => setOrganizationStatus(ctx, 'SUSPENDED'))

/** Refuses a deleted organization. */
export const resumeOrganization = (services: Services, organizationId: string): Promise<Organization> =>
  changeWithDeveloperOrgs(services, organizationId, (ctx) => setOrganizationStatus(ctx, 'ACTIVE'))

/** Its developer organizations get the same plan. */
export const setEntitlements = (
  services: Services,
  organizationId: string,
  features: readonly string[],
): Promise<Organization> => changeWithDeveloperOrgs(services, organizationId, (ctx) => setFeatures(ctx, features))

/** Changes role and record visibility. */
export const updateUser = (services: Services, organizationId: string, id: string, change: UserChange): Promise<User> =>
  changeUser(systemContext(services, organizationId), id, change)

export const deactivateUser = (services: Services, organizationId: string, id: string): Promise<User> =>
  changeUser(systemContext(services, organizationId), id, { isActive: false })

export const removeUser = (services: Services, organizationId: string, id: string): Promise<void> =>
  removeUserFromOrganization(systemContext(services, organizationId), id)
