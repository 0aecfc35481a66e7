import { describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { graphqlClient, restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const password = 'Correct horse 7!'
const minute = 60_000
const anEmail = () => `p${newId()}@example.com`
const outcome = ({ status, body }: Answer) => `${status} ${body?.errors?.[0]?.code ?? body?.code ?? ''}`.trim()

let addresses = 0
/** A client with a client address that no other test uses. */
const newClient = (headers: Record<string, string> = {}) => {
  const from = `10.${++addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
  return restClient(platform.contract, platform.url, { 'x-forwarded-for': from, ...headers })
}

/** The owner of a newly registered organization. */
async function registered(more: object = {}) {
  const email = anEmail()
  const { body } = await newClient().authRegister!({ body: { email, password, company: 'Acme', ...more } })
  const headers = { authorization: `Bearer ${body.accessToken}` }
  const verified = async () => {
    const token = (await mailsTo(platform, email))[0]!.secret
    await newClient().authVerifyEmail!({ query: { token } })
  }
  return { email, headers, rest: newClient(headers), verified }
}

const countOf = async (recipients: readonly string[]) => {
  const rows = await platform.query("select 1 from kernel.mail where recipient = any($1) and state <> 'WITHHELD'", [
    recipients,
  ])
  return rows.length
}

describe('userInviteAgain', () => {
  it('mails one address at most three times an hour, then answers 429 with Retry-After', async () => {
    const { rest } = await registered({ company: 'Your account is locked, visit http://evil.example' })
    const email = anEmail()
    const { id } = (await rest.userInvite!({ body: { email } })).body as { id: string }
    const answers: Answer[] = []
    for (let count = 0; count < 60; count++) answers.push(await rest.userInviteAgain!({ id }))
    expect(answers.map(outcome)).toEqual([
      ...Array<string>(2).fill('200'),
      ...Array<string>(58).fill('429 MAIL_RATE_LIMITED'),
    ])
    expect(answers.at(-1)!.headers.get('retry-after')).toBe('3600')
    const mails = await mailsTo(platform, email)
    expect(mails).toHaveLength(3)
    expect(JSON.stringify(mails)).not.toMatch(/evil|locked/)

    // The last mailed link still works: a refusal does not invalidate it.
    const body = { token: mails.at(-1)!.secret, password, firstName: 'Pat', lastName: 'Ng' }
    expect((await newClient().authAcceptPartnerInvite!({ body })).status).toBe(200)
  })

  it('counts all spellings of a mailbox and all ways to invite together', async () => {
    const { rest, headers } = await registered()
    const name = `v${newId().replaceAll('-', '')}`
    const ways = ['', '+1', '+2', '+3', '+4'].map((tag) => `${name}${tag}@gmail.com`)
    const dotted = `${name[0]}.${name.slice(1)}@googlemail.com`
    const graphql = graphqlClient(platform.url, headers)
    const partner = (email: string) =>
      graphql('mutation ($input: PartnerInviteInput!) { partnerInvite(input: $input) { email } }', { input: { email } })
    expect(outcome(await rest.userInvite!({ body: { email: ways[0] } }))).toBe('201')
    expect((await partner(ways[1]!)).body.errors).toBeUndefined()
    expect(outcome(await rest.userInvite!({ body: { email: dotted } }))).toBe('201')
    expect(outcome(await rest.userInvite!({ body: { email: ways[2] } }))).toBe('429 MAIL_RATE_LIMITED')
    const before = await platform.query('select email from identity.person')
    const { extensions } = (await partner(ways[3]!)).body.errors[0]
    expect(extensions).toMatchObject({ code: 'MAIL_RATE_LIMITED', retryAfter: 3600 })
    expect(await platform.query('select email from identity.person')).toEqual(before)
    expect(await countOf([...ways, dotted])).toBe(3)
  })

  it('keeps the limit when the user is removed or reactivated in between', async () => {
    const { rest } = await registered()
    const email = anEmail()
    const answers: string[] = []
    for (let round = 0; round < 3; round++) {
      const { body } = await rest.userInvite!({ body: { email } })
      answers.push(String(body.code ?? 'invited'))
      const id = String(body.id ?? newId())
      await rest.userDeactivate!({ id })
      answers.push(outcome(await rest.userReactivate!({ id })))
      await rest.userDelete!({ id })
    }
    expect(answers.slice(0, 4)).toEqual(['invited', '200', 'invited', '429 MAIL_RATE_LIMITED'])
    expect(await countOf([email])).toBe(3)
  })
})

describe('invitations of many organizations', () => {
  it('reach one mailbox at most ten times an hour and twenty times a day', async () => {
    const victim = `v${newId()}`
    const counts: number[] = []
    for (let hour = 0; hour < 3; hour++) {
      for (let count = 0; count < 12; count++) {
        const { rest } = await registered()
        await rest.userInvite!({ body: { email: `${victim}+${hour}.${count}@example.com` } })
      }
      const [{ mails }] = (await platform.query(
        "select count(*)::int as mails from kernel.mail where recipient like $1 || '+%'",
        [victim],
      )) as [{ mails: number }]
      counts.push(mails)
      platform.advanceClock(60 * minute)
    }
    expect(counts).toEqual([10, 20, 20])
  })
})

describe('the text of an invitation', () => {
  const invited = async (more: object, isProven: boolean) => {
    const owner = await registered(more)
    if (isProven) await owner.verified()
    const email = anEmail()
    await owner.rest.userInvite!({ body: { email } })
    const [mail] = await mailsTo(platform, email)
    return [mail!.subject, mail!.text.split('\n')[0]]
  }
  const subject = 'Invitation to join an organization'
  const works = 'The link works once, within 7 days.'

  it('has no name in its subject, and no name at all before an owner has verified an address', async () => {
    const names = { company: 'Fjordline', name: 'Ann Lee' }
    expect(await invited(names, false)).toEqual([subject, `Somebody invites you to join an organization. ${works}`])
    expect(await invited(names, true)).toEqual([
      subject,
      `“Ann Lee” invites you to join the organization “Fjordline”. ${works}`,
    ])
  })

  it('shows no name that contains an address', async () => {
    const names = { company: 'Locked! Visit http://evil.example', name: 'evil.example' }
    expect(await invited(names, true)).toEqual([subject, `Somebody invites you to join an organization. ${works}`])
  })
})

describe('mails that can be requested without a session', () => {
  const kinds = ['authMagicLinkSend', 'authForgotPassword'] as const

  it.each(kinds)('%s: one client gets five per hour for one address, known or unknown, then 429', async (ask) => {
    const { email: known } = await registered()
    for (const email of [known, anEmail()]) {
      const client = newClient()
      for (let count = 0; count < 5; count++) expect(outcome(await client[ask]!({ body: { email } }))).toBe('200')
      const refused = await client[ask]!({ body: { email } })
      expect([outcome(refused), refused.headers.get('retry-after')]).toEqual(['429 MAIL_RATE_LIMITED', '3600'])
    }
  })

  it.each(kinds)('%s: three in 15 minutes reach one mailbox, and the response stays the same', async (ask) => {
    const { email: known } = await registered()
    const unknownEmail = anEmail()
    for (const email of [known, unknownEmail]) {
      const before = await platform.query('select 1 from kernel.mail')
      for (let count = 0; count < 8; count++) {
        const { status, body } = await newClient()[ask]!({ body: { email } })
        expect([status, body]).toEqual([200, { accepted: true }])
      }
      expect(await platform.query('select 1 from kernel.mail')).toHaveLength(before.length + 3)
    }
    platform.advanceClock(15 * minute)
    await newClient()[ask]!({ body: { email: known } })
    expect((await mailsTo(platform, known)).filter(({ state }) => state !== 'WITHHELD')).toHaveLength(1 + 3 + 1)
  })

  it('leave a working link and code in the mailbox, for any number of requests', async () => {
    const { email } = await registered()
    for (let count = 0; count < 8; count++) {
      for (const ask of kinds) await newClient()[ask]!({ body: { email } })
    }
    platform.advanceClock(15 * minute - 1)
    const mails = await mailsTo(platform, email)
    const code = mails.findLast(({ subject }) => subject.includes('code'))!.secret
    const token = mails.findLast(({ subject }) => subject.includes('link'))!.secret
    expect(outcome(await newClient().authVerifyResetCode!({ body: { email, code } }))).toBe('200')
    expect(outcome(await newClient().authMagicLink!({ query: { token } }))).toBe('200')
  })
})

describe('mails that follow another operation', () => {
  it('repeated registrations mail an address at most three times per hour', async () => {
    const email = anEmail()
    const answers: string[] = []
    for (let count = 0; count < 6; count++)
      answers.push(outcome(await newClient().authRegister!({ body: { email, password } })))
    expect([answers, await countOf([email])]).toEqual([Array<string>(6).fill('201'), 3])
  })

  it('repeated password changes mail an address at most five times per hour', async () => {
    const { email, headers } = await registered()
    let [session, current] = [newClient(headers), password]
    for (let count = 0; count < 8; count++) {
      const newPassword = `Correct horse 7! ${count}`
      const { body } = await session.authChangePassword!({ body: { currentPassword: current, newPassword } })
      session = newClient({ authorization: `Bearer ${body.accessToken}` })
      current = newPassword
      platform.advanceClock(1000)
    }
    expect(await countOf([email])).toBe(1 + 5)
  })
})
