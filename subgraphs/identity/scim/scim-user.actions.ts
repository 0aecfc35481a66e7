import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { administering, refuseRoleAboveCaller } from '../admin/administer.ts'
import { appendEvent, fieldsChanged } from '../identity-event.ts'
import { forgoAcceptance, withdrawInvitation } from '../invitation/invitation.ts'
import { appendAudit } from '../audit/audit.ts'
import { withdrawAllTokens } from '../one-time-token/one-time-token.ts'
import { endSessions } from '../session/session.actions.ts'
import { emailProblems, nameLengthMax, normalizeEmail, refuseAny, textProblems } from '../text.ts'
import { addUser, changeUser, takeOut, type KnownAs } from '../user/user.actions.ts'
import { findPerson, findUserAsTold } from '../user/user.ts'
import { findScimUser, idGiven, type ScimUser, type ScimUserInput } from './scim-user.ts'

function refuseTexts(input: ScimUserInput): void {
  const texts = ['externalId', 'displayName', 'givenName', 'familyName'] as const
  refuseAny([
    ...(input.userName == null ? [] : emailProblems(normalizeEmail(input.userName), 'userName')),
    ...texts.flatMap((path) => textProblems(path, input[path] ?? '', { max: nameLengthMax })),
  ])
}

export async function readScimUser({ db, caller }: RequestContext, id: string): Promise<ScimUser> {
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

/** MEMBER who sees its own records, unless a role is given. */
export function createScimUser(ctx: RequestContext, input: ScimUserInput): Promise<ScimUser> {
  refuseTexts(input)
  if (!input.userName) throw invalid({ path: 'userName', code: 'REQUIRED', message: 'userName is required.' })
  const email = normalizeEmail(input.userName)
  return administering(ctx, async (inner) => {
    const role = input.role ?? 'MEMBER'
    refuseRoleAboveCaller(inner, { id: '', role }, role)
    const externalId = idGiven(input.externalId) ?? null
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

/** Changes what is given; null takes back what may be absent. */
export function updateScimUser(ctx: RequestContext, id: string, input: ScimUserInput): Promise<ScimUser> {
  refuseTexts(input)
  return administering(ctx, async (inner) => {
    const user = await readScimUser(inner, id)
    refuseRoleAboveCaller(inner, user, input.role ?? undefined)
    const email = input.userName == null ? user.userName : normalizeEmail(input.userName)
    await announced(inner, id, async () => {
      if (email !== user.userName) await changeEmail(inner, id, email)
      await describe(inner, user, input)
    })
    if (input.active === false && user.active) await endSessions(inner, { userId: id }, 'USER_DEACTIVATED')
    if (input.active === false) await withdrawInvitation(inner, id)
    // Whoever the directory says is active need not accept an invitation; a password of theirs is trusted no more for it.
    else if (input.active) await forgoAcceptance(inner, id)
    await changeUser(inner, id, {
      ...(input.active != null && { isActive: input.active }),
      ...(input.role && { role: input.role }),
    })
    return readScimUser(inner, id)
  })
}

export function removeScimUser(ctx: RequestContext, id: string): Promise<string> {
  return administering(ctx, async (inner) => {
    const user = await readScimUser(inner, id)
    refuseRoleAboveCaller(inner, user)
    await withdrawInvitation(inner, id)
    await endSessions(inner, { userId: id }, 'USER_REMOVED')
    await takeOut(inner, id)
    return user.id
  })
}

/** Does what changes how the user is known, and appends the event of it. */
async function announced(ctx: RequestContext, id: string, work: () => Promise<void>): Promise<void> {
  const read = () => findUserAsTold(ctx.db, ctx.caller.organizationId, id)
  const previous = (await read())!
  await work()
  const record = (await read())!
  const changedFields = fieldsChanged(previous, record)
  if (changedFields.length > 0) await appendEvent(ctx, { type: 'user.updated', record, previous, changedFields })
}

/** What the organization calls the user: its names, and what its directory knows it by. */
async function describe(ctx: RequestContext, user: ScimUser, input: ScimUserInput): Promise<void> {
  const before = { name: user.displayName, firstName: user.givenName, lastName: user.familyName }
  const names = knownAs(input, before, user.userName)
  const given = idGiven(input.externalId)
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

/**
 * The email is what a person signs in with, so a directory changes it only of a person who belongs to no other organization:
 * it could otherwise take over what the person has elsewhere.
 */
async function changeEmail(ctx: RequestContext, id: string, email: string): Promise<void> {
  const { organizationId } = ctx.caller
  const [person] = await ctx.db.query<{ id: string; email: string; isShared: boolean }>(
    `select p.id, p.email, exists (
       select 1 from identity.app_user other where other.person_id = p.id and other.organization_id <> u.organization_id
     ) as "isShared"
     from identity.app_user u join identity.person p on p.id = u.person_id where u.organization_id = $1 and u.id = $2
     for update of p`,
    [organizationId, id],
  )
  if (person!.isShared) {
    throw new Refusal(
      'INVALID_STATE',
      'The userName of a person who belongs to other organizations too cannot be changed.',
      {
        allowed: [],
        errors: [{ path: 'userName', code: 'NOT_MUTABLE', message: 'userName cannot be changed.' }],
      },
    )
  }
  if (await findPerson(ctx.db, email)) throw taken('userName')
  await ctx.db.query(
    `update identity.person set email = $2, email_verified_at = null, is_password_proven = false, updated_at = $3
     where id = $1`,
    [person!.id, email, ctx.clock.now().toISOString()],
  )
  // Whoever reads the old address has no business with the account any more.
  await withdrawAllTokens(ctx, person!.id)
  const target = { type: 'user', id } as const
  await appendAudit(ctx, { action: 'user.updated', target, before: { email: person!.email }, after: { email } })
}

const taken = (path: string) =>
  new Refusal('UNIQUE_VIOLATION', `This ${path} is taken.`, {
    errors: [{ path, code: 'NOT_UNIQUE', message: `This ${path} is taken.` }],
  })

async function refuseTakenExternalId(
  { db, caller }: RequestContext,
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
