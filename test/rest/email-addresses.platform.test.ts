import { describe, expect, it } from 'vitest'
import { createUser } from '../../subgraphs/identity/public.ts'
import { statusOfCode, type ErrorCode } from '../../subgraphs/kernel/errors.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { newDirectory } from '../directory.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { graphqlClient, restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const password = 'Correct horse 7!'

/** Invalid addresses: each would reach, or looks like, another mailbox than the one that it names. */
const invalidAddresses = [
  'victim@corp.example(1.x',
  'victim(1)@corp.example',
  'victim\u0001@corp.example',
  'victim@corp\u0001.example',
  'victim@corp.example\r\nBcc: eve@example.com',
  'victim@corp.example\n',
  'victim@corp.example,eve@example.com',
  'Victim <victim@corp.example>',
  '"victim"@corp.example',
  'victim@[192.0.2.1]',
  '=?utf-8?q?v=40corp.example?=@x.example',
  '=?UTF-8?B?dkBjb3JwLmV4YW1wbGU=?=@x.example',
  'v\u0456ctim@corp.example',
  'victim\u200b@corp.example',
  `${'v'.repeat(65)}@corp.example`,
]

type Ask = (email: string) => Promise<Answer>
interface Surface {
  readonly path: string
  readonly ask: Ask
}

/** Every operation that takes an address, in REST and GraphQL. */
async function surfaces(): Promise<Record<string, Surface>> {
  const owner = await platform.member({ role: 'OWNER' })
  const headers = { Authorization: `Bearer ${await sessionOf(platform, owner)}` }
  const [anonymous, rest] = [{}, headers].map((sent) => restClient(platform.contract, platform.url, sent))
  const directory = await newDirectory(platform)
  const { body: provisioned } = await directory.scim('POST', '/Users', { userName: `p${newId()}@example.com` })
  const more = {
    register: { password },
    verify: { code: '12345678' },
    reset: { code: '12345678', newPassword: password },
  }
  const byRest = (ask: (body: object) => Promise<Answer>, others: object = {}): Surface => ({
    path: 'email',
    ask: (email) => ask({ email, ...others }),
  })
  const byGraph = (field: string, type: string, sent: Record<string, string>, others: object = {}): Surface => ({
    path: type === 'ScimUserInput' ? 'userName' : 'email',
    ask: (email) =>
      graphqlClient(platform.url, sent)(`mutation ($input: ${type}!) { ${field} }`, {
        input: { ...(type === 'ScimUserInput' ? { userName: email } : { email }), ...others },
      }),
  })
  const token = { Authorization: `Bearer ${directory.token}` }
  return {
    'POST /v1/auth/register': byRest((body) => anonymous!.authRegister!({ body }), more.register),
    'POST /v1/auth/magic-link': byRest((body) => anonymous!.authMagicLinkSend!({ body })),
    'POST /v1/auth/forgot-password': byRest((body) => anonymous!.authForgotPassword!({ body })),
    'POST /v1/auth/verify-reset-code': byRest((body) => anonymous!.authVerifyResetCode!({ body }), more.verify),
    'POST /v1/auth/reset-password': byRest((body) => anonymous!.authResetPassword!({ body }), more.reset),
    'POST /v1/admin/users': byRest((body) => rest!.userInvite!({ body })),
    authRegister: byGraph('authRegister(input: $input) { accessToken }', 'RegisterInput', {}, more.register),
    authMagicLinkSend: byGraph('authMagicLinkSend(input: $input) { accepted }', 'EmailInput', {}),
    authForgotPassword: byGraph('authForgotPassword(input: $input) { accepted }', 'EmailInput', {}),
    authVerifyResetCode: byGraph('authVerifyResetCode(input: $input) { valid }', 'ResetCodeInput', {}, more.verify),
    authResetPassword: byGraph('authResetPassword(input: $input) { changedAt }', 'ResetPasswordInput', {}, more.reset),
    userInvite: byGraph('userInvite(input: $input) { id }', 'UserInviteInput', headers),
    partnerInvite: byGraph('partnerInvite(input: $input) { email }', 'PartnerInviteInput', headers),
    scimUserCreate: byGraph('scimUserCreate(input: $input) { id }', 'ScimUserInput', token),
    scimUserUpdate: byGraph(`scimUserUpdate(id: "${provisioned.id}", input: $input) { id }`, 'ScimUserInput', token),
  }
}

interface Outcome {
  readonly code: string
  readonly errors: readonly { readonly path: string }[]
}

/** The code and the wrong inputs of a refusal, in REST or GraphQL. */
function outcome({ status, body }: Answer): unknown {
  const fromGraph = body?.errors?.[0]?.extensions as Outcome | undefined
  const { code, errors } = fromGraph ?? (body as Outcome)
  return [fromGraph ? statusOfCode[code as ErrorCode] : status, errors.map(({ path }) => path)]
}

/** Fingerprint of the stored data without the time of the last use of a token. */
const stored = async () => (await platform.fingerprint()).replaceAll(/^identity\.scim_token.*$/gm, '')

describe('an invalid address', () => {
  it('is refused with 400 and its path by every operation, and changes nothing', async () => {
    const operations = await surfaces()
    const before = await stored()
    for (const [name, { path, ask }] of Object.entries(operations)) {
      for (const email of invalidAddresses) {
        expect([name, email, outcome(await ask(email))]).toEqual([name, email, [400, [path]]])
      }
    }
    expect(await stored()).toBe(before)
  })

  it('is refused for directories with 400, and for operators', async () => {
    const { scim, organizationId } = await newDirectory(platform)
    const wanted = { name: 'Ann', role: 'MEMBER', visibility: 'OWN' } as const
    const before = await stored()
    for (const email of invalidAddresses) {
      const { status, body } = await scim('POST', '/Users', { userName: email })
      expect([email, status, body.scimType]).toEqual([email, 400, 'invalidValue'])
      await expect(createUser(platform.services, organizationId, { ...wanted, email })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      })
    }
    expect(await stored()).toBe(before)
  })
})

describe('an address', () => {
  it('is one account with any spelling of its domain', async () => {
    const id = newId()
    const anonymous = restClient(platform.contract, platform.url, {})
    const address = `p${id}@xn--bcher-kva.example`
    const { status, body } = await anonymous.authRegister!({ body: { email: ` P${id}@Bücher.example`, password } })
    expect([status, body.user.email]).toEqual([201, address])
    expect(await mailsTo(platform, address)).toHaveLength(1)
    for (const email of [address, `p${id}@bücher.example`, `P${id}@BÜCHER.example`]) {
      expect([email, (await anonymous.authLogin!({ body: { email, password } })).status]).toEqual([email, 200])
    }
  })
})
