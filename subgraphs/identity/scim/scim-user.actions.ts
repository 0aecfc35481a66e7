import { invalid, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import type { IdentityContext } from '../context.ts'
import { administering, refuseRoleAboveCaller } from '../admin/administer.ts'
import { skipAcceptance, withdrawInvitation } from '../invitation/invitation.ts'
import { emailProblems, nameLengthMax, normalizeEmail, refuseAny, textProblems } from '../text.ts'
import { checkedManager } from '../user/manager.ts'
import { addUser, changeUser, removeUserFromOrganization } from '../user/user.actions.ts'
import { userAudit, userChanges } from '../user/user.events.ts'
import { updateUserRow } from '../user/user-rows.ts'
import { findStoredUser, shownToOrganization, type KnownAs } from '../user/user.ts'
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
    const { id } = await addUser(inner, {
      id: newId(),
      organizationId: inner.caller.organizationId,
      passwordHash: null,
      email,
      ...names,
      knownAs: names,
      role,
      visibility: 'OWN',
      externalId,
      mayReturn: true,
    })
    await changeUser(inner, id, {
      ...(input.active === false && { isActive: false }),
      ...(input.managerId != null && { managerId: await checkedManager(inner, id, input.managerId) }),
    })
    return readScimUser(inner, id)
  })
}

/** Changes the given attributes. Null removes an optional attribute. */
export function updateScimUser(ctx: IdentityContext, id: string, input: ScimUserInput): Promise<ScimUser> {
  refuseTexts(input)
  return administering(ctx, async (inner) => {
    const user = await readScimUser(inner, id)
    refuseRoleAboveCaller(inner, user, input.role ?? undefined)
    await describe(inner, id, input)
    if (input.active === false) await withdrawInvitation(inner, id)
    // A user that the directory sets active need not accept an invitation. This does not make the password trusted.
    else if (input.active) await skipAcceptance(inner, id)
    await changeUser(inner, id, {
      ...(input.active != null && { isActive: input.active }),
      ...(input.role && { role: input.role }),
      ...(input.managerId !== undefined && { managerId: await checkedManager(inner, id, input.managerId) }),
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

/** Sets the address of the user, the names that the organization gives the user, and the user's id in the directory. */
async function describe(ctx: IdentityContext, id: string, input: ScimUserInput): Promise<void> {
  const previous = (await findStoredUser(ctx.db, ctx.caller.organizationId, id))!
  const { name, firstName, lastName } = shownToOrganization(previous)
  const former: KnownAs = { name, firstName, lastName }
  const email = input.userName == null ? previous.email : normalizeEmail(input.userName)
  const names = knownAs(input, former, email)
  const given = emptyToNull(input.externalId)
  const externalId = given === undefined ? previous.externalId : given
  const updatedAt = ctx.clock.now().toISOString()
  const next = { ...previous, email, knownAs: names, externalId, updatedAt }
  if (email !== previous.email) {
    await refuseTakenExternalId(ctx, externalId, id)
    return renameUser(ctx, previous, { ...next, hasJoined: false })
  }
  const isRenamed = JSON.stringify(names) !== JSON.stringify(former)
  if (externalId === previous.externalId && !isRenamed) return
  await refuseTakenExternalId(ctx, externalId, id)
  const columns = { known_as: JSON.stringify(names), external_id: externalId, updated_at: updatedAt }
  const row = updateUserRow(next, columns)
  if (isRenamed) await writeChange(ctx, userChanges, { operation: 'UPDATE', previous, next }, row)
  else {
    const ids = { previous: { id, externalId: previous.externalId }, next: { id, externalId } }
    await writeChange(ctx, userAudit, { operation: 'UPDATE', ...ids }, row)
  }
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
