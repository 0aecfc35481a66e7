import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSequence, run } from './sequence.fixture.ts'

const platform = usePlatform()
let owner: Member
/** A manager who sees only his own records. */
let narrow: Member
/** A manager whose profile hides telephone numbers. */
let reduced: Member
let count = 0

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  narrow = await platform.member({ role: 'MANAGER', visibility: 'OWN' })
  reduced = await platform.member({ role: 'MANAGER' })
  const ctx = systemContext(platform.services, owner.organizationId)
  const fields = { contact: { phone: 'HIDDEN' }, account: { phone: 'HIDDEN', website: 'HIDDEN' } }
  await assignProfile(ctx, reduced.userId, (await createProfile(ctx, { name: 'No numbers', fields })).id)
})

const text =
  'P={{contact.phone | none}} N={{account.name | none}} A={{account.phone | none}} W={{account.website | none}}'
const mailStep = { type: 'EMAIL', subject: 'Slots', bodyHtml: `<p>${text}</p>` }
const whole = 'P=+47 10 N=Needle Ltd. A=+47 20 W=https://needle.example'
const withoutNumbers = 'P=none N=Needle Ltd. A=none W=none'
const withoutAccount = 'P=+47 10 N=none A=none W=none'

/** A contact whose account only those with all records see. */
async function aPerson(ownerId: string) {
  const company = await account(owner, { name: 'Needle Ltd.', phone: '+47 20', website: 'https://needle.example' })
  const email = `person${++count}@customer.example`
  return contact(owner, { email, phone: '+47 10', accountId: company.id, ownerId })
}

async function enrolled(by: Member, sequenceId: string, entityId: string) {
  const body = { entityType: 'CONTACT', entityId, senderId: owner.userId }
  const { status, body: made } = await by.rest.sequenceEnroll!({ id: sequenceId, body })
  expect([status, made.code]).toEqual([201, undefined])
}

/** The texts of the mails to a contact. */
const textsTo = async (contactId: string) =>
  (
    await platform.query<{ text: string }>(
      `select m.body_text as text from outreach.email_message m join outreach.email_thread t on t.id = m.thread_id
       where t.contact_id = $1 order by m.created_at`,
      [contactId],
    )
  ).map(({ text: found }) => found.trim())

describe('a mail of a sequence with another sender', () => {
  it.each([
    ['an unlimited user', () => owner, whole],
    ['a user with hidden fields', () => reduced, withoutNumbers],
    ['a user who does not see the account', () => narrow, withoutAccount],
  ] as const)('shows what %s, who enrolls, may see', async (_who, by, expected) => {
    const { id } = await aSequence(owner, [mailStep], { ownerId: by().userId })
    const person = await aPerson(by().userId)
    await enrolled(by(), id, person.id)
    await run(platform)
    expect(await textsTo(person.id)).toEqual([expected])
  })

  it.each([
    ['a user with hidden fields', () => reduced, withoutNumbers],
    ['a user who sees the person but not the account', () => narrow, withoutAccount],
  ] as const)('shows what %s, who wrote a step, may see', async (_who, by, expected) => {
    const { id } = await aSequence(by(), [mailStep])
    const person = await aPerson(by().userId)
    await enrolled(owner, id, person.id)
    await run(platform)
    expect(await textsTo(person.id)).toEqual([expected])
  })

  it('shows what the author of its template may see', async () => {
    const body = { name: 'Numbers', subject: 'Slots', bodyHtml: `<p>${text}</p>`, status: 'ACTIVE', isShared: true }
    const template = await reduced.rest.emailTemplateCreate!({ body })
    expect([template.status, template.body.errors]).toEqual([201, undefined])
    const { id } = await aSequence(owner, [{ type: 'EMAIL', templateId: template.body.id }])
    const person = await aPerson(owner.userId)
    await enrolled(owner, id, person.id)
    await run(platform)
    expect(await textsTo(person.id)).toEqual([withoutNumbers])
  })
})

it('the text of a task of a sequence shows what the user who enrolls may see', async () => {
  const { id } = await aSequence(owner, [{ type: 'SMS', bodyText: text }])
  const person = await aPerson(reduced.userId)
  await enrolled(reduced, id, person.id)
  await run(platform)
  const tasks = await platform.query<{ description: string }>(
    'select description from crm.task where contact_id = $1 and deleted_at is null',
    [person.id],
  )
  expect(tasks.map(({ description }) => description.split('\n\n')[1])).toEqual([withoutNumbers])
})
