import { describe, expect, it } from 'vitest'
import '../../all.ts'
import type { Refusal } from '../../kernel/errors.ts'
import { systemContext } from '../../kernel/request.ts'
import { findActingUser } from '../credential/credential-source.ts'
import { useIdentity } from '../identity.fixture.ts'
import { assignProfile, createProfile, deleteProfile, updateProfile } from './profile.actions.ts'

const world = useIdentity()

async function aContext() {
  const { id } = await world.anOrganization()
  return systemContext(world.services, id)
}

const problemsOf = async (work: Promise<unknown>): Promise<string[]> => {
  const refusal = (await work.then(
    () => null,
    (error: unknown) => error,
  )) as Refusal | null
  if (!refusal) return []
  const errors = (refusal.extensions.errors ?? []) as { path: string; code: string }[]
  return [refusal.code, ...errors.map(({ path, code }) => `${path} ${code}`)]
}

const restricting = {
  account: { annualRevenue: 'HIDDEN', rating: 'READ', phone: 'WRITE', 'customFields.margin': 'HIDDEN' },
}

describe('a profile', () => {
  it('stores the restrictions, and writes events and audit entries', async () => {
    const ctx = await aContext()
    const profile = await createProfile(ctx, { name: 'Agents', fields: restricting })
    expect(profile).toMatchObject({
      name: 'Agents',
      isDefault: false,
      fields: { account: { annualRevenue: 'HIDDEN', rating: 'READ', 'customFields.margin': 'HIDDEN' } },
    })
    await updateProfile(ctx, profile.id, { fields: { account: { phone: 'READ' } } })
    await updateProfile(ctx, profile.id, { name: 'Agents' })
    await deleteProfile(ctx, profile.id)
    expect(await world.eventsOf(profile.id)).toEqual(['profile.created', 'profile.updated', 'profile.deleted'])
    const audit = await world.query(
      'select action, before, after from identity.audit_entry where target_id = $1 order by id',
      [profile.id],
    )
    expect(audit.map(({ action }) => action)).toEqual(['profile.created', 'profile.updated', 'profile.deleted'])
    expect(audit[1]).toMatchObject({ after: { fields: { account: { phone: 'READ' } } } })
  })

  it.each([
    [{ name: ' ' }, ['VALIDATION_FAILED', 'name TOO_SHORT']],
    [{ name: 'x'.repeat(101) }, ['VALIDATION_FAILED', 'name TOO_LONG']],
    [{ fields: [] }, ['VALIDATION_FAILED', 'fields WRONG_TYPE']],
    [{ fields: { person: {} } }, ['VALIDATION_FAILED', 'fields.person UNKNOWN_OBJECT']],
    [{ fields: { api_key: {} } }, ['VALIDATION_FAILED', 'fields.api_key UNKNOWN_OBJECT']],
    [{ fields: { account: 'HIDDEN' } }, ['VALIDATION_FAILED', 'fields.account WRONG_TYPE']],
    [{ fields: { account: { phone: 'hidden' } } }, ['VALIDATION_FAILED', 'fields.account.phone NOT_ALLOWED']],
    [{ fields: { account: { fone: 'READ' } } }, ['VALIDATION_FAILED', 'fields.account.fone UNKNOWN_FIELD']],
    [{ fields: { case: { pausedAt: 'READ' } } }, ['VALIDATION_FAILED', 'fields.case.pausedAt UNKNOWN_FIELD']],
    [{ fields: { account: { name: 'HIDDEN' } } }, ['VALIDATION_FAILED', 'fields.account.name NOT_RESTRICTABLE']],
    [{ fields: { account: { id: 'READ' } } }, ['VALIDATION_FAILED', 'fields.account.id NOT_RESTRICTABLE']],
    [
      { fields: { account: { 'customFields.': 'READ' } } },
      ['VALIDATION_FAILED', 'fields.account.customFields. UNKNOWN_FIELD'],
    ],
  ])('is refused with %j', async (wanted, problems) => {
    const ctx = await aContext()
    expect(await problemsOf(createProfile(ctx, { name: 'Agents', ...wanted }))).toEqual(problems)
  })

  it('has a unique name in its organization, without regard to case', async () => {
    const ctx = await aContext()
    await createProfile(ctx, { name: 'Agents' })
    expect(await problemsOf(createProfile(ctx, { name: 'AGENTS' }))).toEqual(['UNIQUE_VIOLATION', 'name NOT_UNIQUE'])
    expect(await problemsOf(createProfile(await aContext(), { name: 'Agents' }))).toEqual([])
  })

  it('cannot be deleted while users have it, and belongs to its organization', async () => {
    const ctx = await aContext()
    const user = await world.aUser(ctx.caller.organizationId)
    const profile = await createProfile(ctx, { name: 'Agents' })
    await assignProfile(ctx, user.id, profile.id)
    expect(await problemsOf(deleteProfile(ctx, profile.id))).toEqual(['HAS_DEPENDENTS'])
    const elsewhere = await aContext()
    expect(await problemsOf(deleteProfile(elsewhere, profile.id))).toEqual(['NOT_FOUND'])
    expect(await problemsOf(updateProfile(elsewhere, profile.id, { name: 'Mine' }))).toEqual(['NOT_FOUND'])
    const stranger = await world.aUser(elsewhere.caller.organizationId)
    expect(await problemsOf(assignProfile(elsewhere, stranger.id, profile.id))).toEqual([
      'VALIDATION_FAILED',
      'profileId UNKNOWN_REFERENCE',
    ])
  })
})

describe('field-level security of a user', () => {
  it('follows its profile, or the default profile without one, and is unrestricted for owners', async () => {
    const ctx = await aContext()
    const { organizationId } = ctx.caller
    const [member, owner] = [await world.aUser(organizationId), await world.aUser(organizationId, { role: 'OWNER' })]
    const fieldsOf = async (id: string) => (await findActingUser(world.services.database, organizationId, id))!.fields
    expect(await fieldsOf(member.id)).toBeNull()

    const usual = await createProfile(ctx, { name: 'Usual', isDefault: true, fields: { case: { tags: 'HIDDEN' } } })
    expect(await fieldsOf(member.id)).toEqual({ case: { tags: 'HIDDEN' } })
    expect(await fieldsOf(owner.id)).toBeNull()

    const own = await createProfile(ctx, { name: 'Own', fields: { case: { tags: 'READ' } } })
    await assignProfile(ctx, member.id, own.id)
    expect(await fieldsOf(member.id)).toEqual({ case: { tags: 'READ' } })
    await updateProfile(ctx, own.id, { fields: {} })
    expect(await fieldsOf(member.id)).toBeNull()
    await assignProfile(ctx, member.id, null)
    expect(await fieldsOf(member.id)).toEqual({ case: { tags: 'HIDDEN' } })

    await createProfile(ctx, { name: 'Newer', isDefault: true })
    expect(await fieldsOf(member.id)).toBeNull()
    expect((await updateProfile(ctx, usual.id, { name: 'Former' })).isDefault).toBe(false)
  })
})
