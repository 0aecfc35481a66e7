import { describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const password = 'Correct horse 7!'
const wrongPassword = 'Wrong horse 7!'
const outcome = ({ status, body }: Answer) => `${status} ${body?.errors?.[0]?.code ?? body?.code ?? ''}`.trim()

const at = (address: string, headers: Record<string, string> = {}) =>
  restClient(platform.contract, platform.url, { 'x-forwarded-for': address, ...headers })
let addresses = 0
/** A client address that no other test uses. */
const elsewhere = () => `10.7.${++addresses >> 8}.${addresses & 255}`

async function anOwner() {
  const email = `p${newId()}@example.com`
  const { headers, body } = await at('192.0.2.1').authRegister!({ body: { email, password } })
  const device = headers.getSetCookie().find((line) => line.startsWith('device_token='))!
  const signIn = async (address: string, word = password, sent: Record<string, string> = {}) =>
    outcome(await at(address, sent).authLogin!({ body: { email, password: word } }))
  return { email, device, cookie: device.split(';')[0]!, token: body.accessToken as string, signIn }
}

/** Sends wrong passwords from one client address after another, until all are throttled. */
async function guessed(signIn: Awaited<ReturnType<typeof anOwner>>['signIn']): Promise<number> {
  for (let guesses = 0; ; guesses++) {
    const answer = await signIn(elsewhere(), wrongPassword)
    if (answer !== '401 UNAUTHENTICATED') {
      expect(answer).toBe('429 SIGN_IN_THROTTLED')
      return guesses
    }
  }
}

describe('failed sign-ins', () => {
  it('of another person at another address do not lock out the owner', async () => {
    const { signIn } = await anOwner()
    const stranger = elsewhere()
    const answers: string[] = []
    for (let count = 0; count < 11; count++) answers.push(await signIn(stranger, wrongPassword))
    expect(answers).toEqual([...Array<string>(10).fill('401 UNAUTHENTICATED'), '429 SIGN_IN_THROTTLED'])
    expect([await signIn(stranger), await signIn('192.0.2.1')]).toEqual(['429 SIGN_IN_THROTTLED', '200'])
  })

  it('from everywhere are throttled, except on known devices, in sessions, and with mailed links and codes', async () => {
    const owner = await anOwner()
    expect(owner.device).toMatch(
      /^device_token=\d+\.[\w-]{43}; Max-Age=15552000; Path=\/v1; HttpOnly; SameSite=Strict$/,
    )
    expect(await guessed(owner.signIn)).toBe(100)
    expect(await owner.signIn(elsewhere())).toBe('429 SIGN_IN_THROTTLED')
    expect(await owner.signIn(elsewhere(), password, { cookie: owner.cookie })).toBe('200')

    const { email, token } = owner
    await at(elsewhere()).authMagicLinkSend!({ body: { email } })
    await at(elsewhere()).authForgotPassword!({ body: { email } })
    const [, link, code] = await mailsTo(platform, email)
    expect(outcome(await at(elsewhere()).authMagicLink!({ query: { token: link!.secret } }))).toBe('200')
    const session = at(elsewhere(), { authorization: `Bearer ${token}` })
    const change = (currentPassword: string) =>
      session.authChangePassword!({ body: { currentPassword, newPassword: 'Better horse 8!' } })
    expect(outcome(await change(wrongPassword))).toBe('400 PASSWORD_WRONG')
    const reset = { email, code: code!.secret, newPassword: 'Best horse 9!!' }
    expect(outcome(await at(elsewhere()).authResetPassword!({ body: reset }))).toBe('200')
    expect(await owner.signIn(elsewhere(), 'Best horse 9!!', { cookie: owner.cookie })).toBe('200')
  })

  it('are throttled also with the device token of another account', async () => {
    const [owner, other] = [await anOwner(), await anOwner()]
    await guessed(owner.signIn)
    expect(await owner.signIn(elsewhere(), password, { cookie: other.cookie })).toBe('429 SIGN_IN_THROTTLED')
  })

  it('on a device that signed out are still counted for the device', async () => {
    const owner = await anOwner()
    const out = await at(elsewhere(), { authorization: `Bearer ${owner.token}` }).authLogout!()
    expect(out.headers.getSetCookie().join()).not.toContain('device_token')
    const answers: string[] = []
    for (let count = 0; count < 10; count++) {
      answers.push(await owner.signIn(elsewhere(), wrongPassword, { cookie: owner.cookie }))
    }
    expect(answers).toEqual(Array<string>(10).fill('401 UNAUTHENTICATED'))
    // The device has used its own limit; the limit for other devices is separate.
    expect(await owner.signIn(elsewhere(), password, { cookie: owner.cookie })).toBe('200')
  })
})
