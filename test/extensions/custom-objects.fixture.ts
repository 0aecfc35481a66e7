import { expect } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import type { Member, Platform } from '../platform.ts'
import { anOrganization } from './custom-fields.fixture.ts'

/** The body of a create of a custom object with three fields. */
export const anObject = (values: object = {}) => ({
  name: 'site_visit',
  label: 'Site visit',
  pluralLabel: 'Site visits',
  nameField: 'subject',
  fields: [
    { name: 'subject', label: 'Subject', fieldType: 'TEXT', isRequired: true },
    { name: 'hours', label: 'Hours', fieldType: 'NUMBER', precision: 1, minValue: 0 },
    {
      name: 'outcome',
      label: 'Outcome',
      fieldType: 'PICKLIST',
      picklistValues: [{ value: 'DONE' }, { value: 'OPEN' }],
    },
  ],
  ...values,
})

export interface Stored {
  readonly id: string
  readonly version: number
  readonly [name: string]: unknown
}

/** Creates a custom object and returns it. */
export async function object(by: Member, values: object = {}): Promise<Stored> {
  const { status, body } = await by.rest['customObjectCreate']!({ body: anObject(values) } as never)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as Stored
}

/** Creates a record of a custom object and returns it. */
export async function visit(by: Member, customFields: object, more: object = {}, name = 'site_visit'): Promise<Stored> {
  const { status, body } = await by.rest['customRecordCreate']!({ name, body: { customFields, ...more } } as never)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as Stored
}

/** An organization of its own with the object `site_visit`, its owner, and a member who sees everything. */
export async function withSiteVisits(platform: Platform) {
  const { owner, member } = await anOrganization(platform)
  return { owner, member, siteVisit: await object(owner) }
}

/** A user of an organization whose profile hides fields: `{ 'custom:site_visit': ['customFields.hours'] }`. */
export async function memberWithout(
  platform: Platform,
  organizationId: string,
  hidden: Readonly<Record<string, readonly string[]>>,
  values: Parameters<Platform['member']>[0] = {},
): Promise<Member> {
  await platform.services.shapes.load(organizationId)
  const ctx = systemContext(platform.services, organizationId)
  const fields = Object.fromEntries(
    Object.entries(hidden).map(([type, names]) => [type, Object.fromEntries(names.map((name) => [name, 'HIDDEN']))]),
  )
  const by = await platform.member({ organizationId, ...values })
  await assignProfile(ctx, by.userId, (await createProfile(ctx, { name: newId(), fields: fields as never })).id)
  return by
}
