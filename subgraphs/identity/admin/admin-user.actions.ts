import { notFound } from '../../kernel/errors.ts'
import { readPage, type Page, type PageArgs } from '../../kernel/record/list.ts'
import { allColumnNames, readOne } from '../../kernel/record/read.ts'
import { refusalInState } from '../../kernel/record/transitions.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { assignProfile } from '../profile/profile.actions.ts'
import { invite, mustAccept, sendInvitation, withdrawInvitation } from '../invitation/invitation.ts'
import { emailProblems, nameLengthMax, normalizeEmail, refuseAny, textProblems } from '../text.ts'
import { checkedManager } from '../user/manager.ts'
import { changeUser, removeUserFromOrganization, type UserChange } from '../user/user.actions.ts'
import { adminUser, type AdminUser, type UserInviteInput, type UserUpdateInput } from './admin-user.ts'
import { refuseLastOwner, userStates } from './admin-user.states.ts'
import { administering, refuseRoleAboveCaller } from './administer.ts'

const allColumns = allColumnNames(adminUser)

const isFilled = (text: string | null | undefined): text is string => text != null && text.trim() !== ''

export function readUsers(ctx: IdentityContext, args: PageArgs, info: SelectionInfo): Promise<Page> {
  requireAdministrator(ctx)
  const total = isAnySelected(info, 'total', 'totalPages')
  return readPage(ctx, adminUser, args, { page: selectedFields(info), record: allColumns, total })
}

export async function readUser(ctx: IdentityContext, id: string): Promise<AdminUser> {
  requireAdministrator(ctx)
  const row = await readOne(ctx, adminUser, id, allColumns)
  if (!row) throw notFound('The user')
  return row as unknown as AdminUser
}

export function inviteUser(ctx: IdentityContext, input: UserInviteInput): Promise<AdminUser> {
  const email = normalizeEmail(input.email)
  const { name, firstName, lastName } = input
  refuseAny([
    ...emailProblems(email),
    ...(['name', 'firstName', 'lastName'] as const).flatMap((path) =>
      textProblems(path, input[path] ?? '', { max: nameLengthMax }),
    ),
  ])
  const [role, visibility] = [input.role ?? 'MEMBER', input.visibility ?? 'OWN'] as const
  const knownAs = {
    name: [firstName, lastName].filter(isFilled).join(' ') || (isFilled(name) && name) || email.split('@')[0]!,
    firstName: isFilled(firstName) ? firstName : null,
    lastName: isFilled(lastName) ? lastName : null,
  }
  return inTransaction(ctx, async (inner) => {
    const { id } = await invite(inner, { email, role, visibility, knownAs })
    return readUser(inner, id)
  })
}

/** Sends a new mail with a new link; earlier links become invalid. */
export function inviteAgain(ctx: IdentityContext, id: string): Promise<AdminUser> {
  return administering(ctx, async (inner) => {
    const user = await readUser(inner, id)
    refuseRoleAboveCaller(inner, user)
    if (user.status !== 'INVITED') {
      const message = 'The user must have the status INVITED to be invited again.'
      throw await refusalInState(inner, userStates, user, message)
    }
    await sendInvitation(inner, id)
    return readUser(inner, id)
  })
}

/** Changes role, record visibility, manager and profile. Takes effect with the next request of every credential of the user. */
export function updateUser(ctx: IdentityContext, id: string, input: UserUpdateInput): Promise<AdminUser> {
  const { role, visibility, managerId, profileId } = input
  return administering(ctx, async (inner) => {
    const user = await readUser(inner, id)
    refuseRoleAboveCaller(inner, user, role ?? undefined)
    if (role && role !== 'OWNER') await refuseLastOwner(inner, user)
    const change: UserChange = {
      ...(role && { role }),
      ...(visibility && { visibility }),
      ...(managerId !== undefined && { managerId: await checkedManager(inner, user.id, managerId) }),
    }
    await changeUser(inner, id, change)
    if (profileId !== undefined) await assignProfile(inner, id, profileId)
    return readUser(inner, id)
  })
}

/** Ends the sessions of the user, refuses the keys and invalidates the invitation. */
export function deactivateUser(ctx: IdentityContext, id: string): Promise<AdminUser> {
  return administering(ctx, async (inner) => {
    const user = await readUser(inner, id)
    refuseRoleAboveCaller(inner, user)
    await refuseLastOwner(inner, user)
    await withdrawInvitation(inner, id)
    await changeUser(inner, id, { isActive: false })
    return readUser(inner, id)
  })
}

/** The keys of the user work again. A user who never accepted is invited again, with the caller as inviter. */
export function reactivateUser(ctx: IdentityContext, id: string): Promise<AdminUser> {
  return administering(ctx, async (inner) => {
    const user = await readUser(inner, id)
    refuseRoleAboveCaller(inner, user)
    if (user.status === 'DEACTIVATED') {
      if (await mustAccept(inner, id)) await sendInvitation(inner, id)
      else await changeUser(inner, id, { isActive: true })
    }
    return readUser(inner, id)
  })
}

/** Records that the user owns are kept. The user's API keys answer API_KEY_OWNER_NOT_IN_ORG. */
export function removeUser(ctx: IdentityContext, id: string): Promise<string> {
  return administering(ctx, async (inner) => {
    const user = await readUser(inner, id)
    refuseRoleAboveCaller(inner, user)
    await refuseLastOwner(inner, user)
    await withdrawInvitation(inner, id)
    await removeUserFromOrganization(inner, id)
    return user.id
  })
}
