import { invalid, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { IdentityContext } from '../context.ts'
import { administering, refuseRoleAboveCaller } from '../admin/administer.ts'
import { skipAcceptance, withdrawInvitation } from '../invitation/invitation.ts'
import { appendAudit } from '../audit/audit.ts'
import { emailProblems, nameLengthMax, normalizeEmail, refuseAny, textProblems } from '../text.ts'
import { announceUserUpdate } from '../user/announce-user.ts'
import { addUser, changeUser, removeUserFromOrganization, type KnownAs } from '../user/user.actions.ts'
import { findPerson, findUserSeenByOrganization } from '../user/user.ts'
import { renameUser, taken } from './rename-user.ts'
import { findScimUser, emptyToNull, type ScimUser, type ScimUserInput } from './scim-user.ts'

function refuseTexts(input: ScimUserInput): void {
  const texts = ['externalId', 'displayName', 'givenName', 'familyName'] as const
  refuseAny([
    ...(input.userName == null ? [] : emailProblems(normalizeEmail(input.userName), 'userName')),
    ...texts.flatMap((path) => textProblems(path, input[path] ?? '', { max: nameLengthMax })),
  ])
}

export async function readScimUser({ db, caller }: IdentityContext, id: string): Promise<ScimUser> {
  const user = await findScimUser(db, caller.organizationId, id)
  if (!user) throw notFound('The user')
  return user
}

function knownAs(input: ScimUserInput, before: KnownAs | null, email: string): KnownAs {
  const given = (value: string | null | undefined, old: string | null | undefined) =>
    value === undefined ? (old ?? null) : value?.trim() || null
  const [firstName, lastName] = [given(input.givenName, before?.firstName), given(input.familyName, before?.lastName)]
  const whole = [firstName, lastName].filter(Boolean).join(' ')
  const isRenamed = input.givenName !== undefined || input.familyName !== undefined
  const name =
    input.displayName?.trim() || (isRenamed ? whole : before?.name) || whole || before?.name || email.split('@')[0]!
  return { name, firstName, lastName }
}

/** The user gets the record visibility OWN and the given role; default MEMBER. */
export function createScimUser(ctx: IdentityContext, input: ScimUserInput): Promise<ScimUser> {
  refuseTexts(input)
  if (!input.userName) throw invalid({ path: 'userName', code: 'REQUIRED', message: 'userName is required.' })
  const email = normalizeEmail(input.userName)
  return administering(ctx, async (inner) => {
    const role = input.role ?? 'MEMBER'
    refuseRoleAboveCaller(inner, { id: '', role }, role)
    const externalId = emptyToNull(input.externalId) ?? null
    await refuseTakenExternalId(inner, externalId, null)
    const names = knownAs(input, null, email)
    const person = await findPerson(inner.db, email)
    const { id } = await addUser(inner, {
      id: newId(),
      organizationId: inner.caller.organizationId,
      personId: person?.id ?? null,
      passwordHash: null,
      email,
      ...names,
      knownAs: names,
      role,
      visibility: 'OWN',
      externalId,
      mayReturn: true,
    })
    if (input.active === false) await changeUser(inner, id, { isActive: false })
    return readScimUser(inner, id)
  })
}

/** Changes the given attributes. Null removes an optional attribute. */
export function updateScimUser(ctx: IdentityContext, id: string, input: ScimUserInput): Promise<ScimUser> {
  refuseTexts(input)
  return administering(ctx, async (inner) => {
    const user = await readScimUser(inner, id)
    refuseRoleAboveCaller(inner, user, input.role ?? undefined)
    const email = input.userName == null ? user.userName : normalizeEmail(input.userName)
    await announced(inner, id, async () => {
      if (email !== user.userName) await renameUser(inner, id, email)
      await describe(inner, user, input)
    })
    if (input.active === false) await withdrawInvitation(inner, id)
    // A user that the directory sets active need not accept an invitation. This does not make the password trusted.
    else if (input.active) await skipAcceptance(inner, id)
    await changeUser(inner, id, {
      ...(input.active != null && { isActive: input.active }),
      ...(input.role && { role: input.role }),
    })
    return readScimUser(inner, id)
  })
}

export function removeScimUser(ctx: IdentityContext, id: string): Promise<string> {
  return administering(ctx, async (inner) => {
    const user = await readScimUser(inner, id)
    refuseRoleAboveCaller(inner, user)
    await withdrawInvitation(inner, id)
    await removeUserFromOrganization(inner, id)
    return user.id
  })
}

/** Runs a change of the user's address, names or external id, and appends the event. */
async function announced(ctx: IdentityContext, id: string, work: () => Promise<void>): Promise<void> {
  const read = () => findUserSeenByOrganization(ctx.db, ctx.caller.organizationId, id)
  const previous = (await read())!
  await work()
  // `work` has already written the audit entries.
  await announceUserUpdate(ctx, previous, (await read())!, null)
}

/** Sets the names that the organization gives the user, and the user's id in the directory. */
async function describe(ctx: IdentityContext, user: ScimUser, input: ScimUserInput): Promise<void> {
  const before = { name: user.displayName, firstName: user.givenName, lastName: user.familyName }
  const names = knownAs(input, before, user.userName)
  const given = emptyToNull(input.externalId)
  const externalId = given === undefined ? user.externalId : given
  if (externalId === user.externalId && JSON.stringify(names) === JSON.stringify(before)) return
  await refuseTakenExternalId(ctx, externalId, user.id)
  await ctx.db.query(
    `update identity.app_user set known_as = $3, external_id = $4, updated_at = $5
     where organization_id = $1 and id = $2`,
    [ctx.caller.organizationId, user.id, JSON.stringify(names), externalId, ctx.clock.now().toISOString()],
  )
  await appendAudit(ctx, {
    action: 'user.updated',
    target: { type: 'user', id: user.id },
    before: { ...before, externalId: user.externalId },
    after: { ...names, externalId },
  })
}

async function refuseTakenExternalId(
  { db, caller }: IdentityContext,
  externalId: string | null | undefined,
  ownId: string | null,
): Promise<void> {
  if (!externalId) return
  const found = await db.query(
    `select 1 from identity.app_user
     where organization_id = $1 and external_id = $2 and id is distinct from $3 and left_at is null`,
    [caller.organizationId, externalId, ownId],
  )
  if (found.length > 0) throw taken('externalId')
}
