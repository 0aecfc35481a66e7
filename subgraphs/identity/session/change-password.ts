import { invalid } from '../../kernel/errors.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { inHashSlot } from '../password/hash-slots.ts'
import { hashPassword, isPassword, passwordLengthMax, passwordProblems } from '../password/password.ts'
import { refuseAny, textProblems } from '../text.ts'
import { findUser } from '../user/user.ts'
import type { ChangePasswordInput } from './account.ts'
import { lockOwnPerson, personOf, setPassword } from './person.ts'
import { actingAs, signedIn, startSession } from './session.actions.ts'
import type { SignedIn } from './session.ts'
import { countFailure, refuseThrottled } from './throttle.ts'

const wrong = () =>
  invalid({ path: 'currentPassword', code: 'PASSWORD_WRONG', message: 'currentPassword must be the current password.' })

/** Ends all sessions of the person, including this one, and returns a new session. */
export async function changePassword(ctx: IdentityContext, input: ChangePasswordInput): Promise<SignedIn> {
  const { currentPassword, newPassword } = input
  refuseAny([
    ...textProblems('currentPassword', currentPassword, { min: 1, max: passwordLengthMax }),
    ...passwordProblems(newPassword, 'newPassword'),
  ])
  if (newPassword === currentPassword) {
    throw invalid({
      path: 'newPassword',
      code: 'UNCHANGED',
      message: 'newPassword must differ from the current password.',
    })
  }
  const person = await personOf(ctx)
  const passwordHash = await inHashSlot(async () => {
    await refuseThrottled(ctx, person.email, 'SESSION')
    if (await isPassword(currentPassword, person.passwordHash)) return hashPassword(newPassword)
    throw await countFailure(ctx, person.email, wrong(), 'SESSION')
  }, ctx)
  return inTransaction(ctx, async (inner) => {
    await lockOwnPerson(inner, person)
    await setPassword(inner, { ...person, passwordHash })
    const { organizationId, userId } = inner.caller
    const user = (await findUser(inner.db, organizationId, userId))!
    const acting = actingAs(inner, user)
    return signedIn(acting, user, await startSession(acting, { isKnownDevice: true }))
  })
}
