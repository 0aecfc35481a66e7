import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'
import { object } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

async function created(operation: string, body: object): Promise<{ readonly id: string; readonly version: number }> {
  const answer = await owner.rest[operation]!({ body } as never)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as { id: string; version: number }
}

const trigger = (eventType: string, name: string) =>
  created('aiTriggerCreate', {
    name: 'Tier',
    eventType,
    prompt: 'Summarize.',
    conditions: [{ field: `customFields.${name}`, operator: 'EQUALS', value: 'GOLD' }],
    actions: [{ type: 'CREATE_TASK', config: { subject: 'Call' } }],
  })

const template = (text: string) =>
  created('emailTemplateCreate', { name: 'Tier', subject: 'Your tier', bodyHtml: `<p>${text}</p>`, category: 'OTHER' })

const action = (mapping: object) =>
  created('customActionCreate', {
    apiName: `action_${newId().replaceAll('-', '').slice(-12)}`,
    label: 'Tier',
    url: 'https://127.0.0.1/action',
    inputSchema: { type: 'object', properties: { a: {} } },
    outputSchema: { type: 'object' },
    objectTypes: ['LEAD'],
    ...mapping,
  })

const flow = (type: string, config: object, text = 'Done') =>
  created('flowCreate', {
    apiName: `flow_${newId().replaceAll('-', '').slice(-12)}`,
    label: 'Tier',
    startElement: 'get',
    elements: [
      { name: 'get', type, config: { object: 'LEAD', ...config }, connectors: { next: 'say' } },
      {
        name: 'say',
        type: 'SCREEN',
        config: { title: 'Say', fields: [{ name: 'a', label: text, type: 'DISPLAY_TEXT' }] },
        connectors: null,
      },
    ],
  })

describe('a field that is deleted', () => {
  it.each<[string, (name: string) => Promise<{ id: string }>]>([
    ['email_template', (name) => template(`{{ lead.customFields.${name} }}`)],
    [
      'webhook',
      (name) =>
        created('webhookCreate', {
          name: 'Tier',
          url: 'https://127.0.0.1/hook',
          events: ['lead.updated'],
          fields: [`customFields.${name}`],
        }),
    ],
    [
      'webhook',
      (name) =>
        created('webhookCreate', {
          name: 'Tier',
          url: 'https://127.0.0.1/hook',
          events: ['lead.*'],
          conditions: [{ field: `customFields.${name}`, operator: 'EQUALS', value: 'GOLD' }],
        }),
    ],
    [
      'sequence',
      async (name) => {
        const sequence = await created('sequenceCreate', { name: `Sequence ${name}`, entityTypes: ['LEAD'] })
        const body = { type: 'EMAIL', subject: `{{lead.customFields.${name}}}`, bodyHtml: '<p>Hello</p>' }
        const answer = await owner.rest['sequenceStepAdd']!({ id: sequence.id, body } as never)
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
        return sequence
      },
    ],
    ['ai_trigger', (name) => trigger('lead.updated', name)],
    ['custom_action', (name) => action({ inputMapping: { a: `{{record.customFields.${name}}}` } })],
    ['custom_action', (name) => action({ outputMapping: { [`customFields.${name}`]: 'GOLD' } })],
    ['flow', (name) => flow('GET_RECORDS', { filter: { customFields: { [name]: { eq: 'GOLD' } } } })],
    ['flow', (name) => flow('CREATE_RECORD', { values: { lastName: 'Dahl', customFields: { [name]: 'GOLD' } } })],
    ['flow', (name) => flow('GET_RECORDS', {}, `{{get.record.customFields.${name}}}`)],
  ])('is refused while a %s names it', async (used, use) => {
    const name = `u${++fields}_${fields}`
    const { id } = await field(owner, {
      entity: 'LEAD',
      name,
      fieldType: 'PICKLIST',
      picklistValues: valuesNamed('GOLD'),
    })
    // Neither the same name of another record type nor a longer name is this field.
    const { id: other } = await field(owner, { name })
    const { id: longer } = await field(owner, { entity: 'LEAD', name: `${name}b` })
    const { id: user } = await use(name)
    const answer = await owner.rest['customFieldDelete']!({ id })
    expect(problemsOf(answer)).toBe('409 HAS_DEPENDENTS')
    expect(answer.body.usedBy).toEqual([{ object: used, id: user, name: expect.any(String) as string }])
    expect((await owner.rest['customFieldDelete']!({ id: other })).status).toBe(204)
    expect((await owner.rest['customFieldDelete']!({ id: longer })).status).toBe(204)
  })

  it.each<[string, (name: string) => Promise<{ id: string }>]>([
    ['ai_trigger', (name) => trigger('custom_object.site_visit.created', name)],
    [
      'webhook',
      (name) =>
        created('webhookCreate', {
          name: 'Tier',
          url: 'https://127.0.0.1/hook',
          events: ['custom_object.site_visit.*'],
          fields: [`customFields.${name}`],
        }),
    ],
    [
      'webhook',
      (name) =>
        created('webhookCreate', {
          name: 'Tier',
          url: 'https://127.0.0.1/hook',
          events: ['custom_object.site_visit.updated'],
          conditions: [{ field: `customFields.${name}`, operator: 'EQUALS', value: 'GOLD' }],
        }),
    ],
  ])('of a custom object is refused while a %s names it', async (used, use) => {
    const tier = { name: 'tier', label: 'Tier', fieldType: 'TEXT' }
    // The name of the other object is like the first one where an underscore is any character.
    const objects = ['site_visit', 'sitexvisit']
    for (const name of objects) await object(owner, { name, nameField: null, fields: [tier] })
    const { id: user } = await use('tier')
    const found = (await owner.rest['customFieldList']!()).body.data as { id: string; entity: string }[]
    const fieldOf = (entity: string) => ({ id: found.find((one) => one.entity === entity)!.id })
    const answer = await owner.rest['customFieldDelete']!(fieldOf('custom:site_visit'))
    expect(problemsOf(answer)).toBe('409 HAS_DEPENDENTS')
    expect(answer.body.usedBy).toEqual([{ object: used, id: user, name: 'Tier' }])
    expect((await owner.rest['customFieldDelete']!(fieldOf('custom:sitexvisit'))).status).toBe(204)
  })
})

const aFunction = () =>
  created('serverlessFunctionCreate', {
    apiName: `f_${newId().slice(-12)}`,
    name: 'F',
    language: 'javascript',
    source: 'export default (input) => input',
  })
const partner = (operator: string, value?: unknown) => [{ field: 'customFields.partner', operator, value }]

describe('a LOOKUP', () => {
  it.each<[string, () => Promise<{ id: string }>]>([
    [
      'validation_rule',
      () =>
        created('validationRuleCreate', {
          entityType: 'LEAD',
          name: 'Partner',
          conditions: partner('IS_EMPTY'),
          errorMessage: 'A lead has a partner.',
        }),
    ],
    [
      'webhook',
      () =>
        created('webhookCreate', {
          name: 'Partner',
          url: 'https://127.0.0.1/hook',
          events: ['lead.*'],
          conditions: partner('EQUALS', newId()),
        }),
    ],
    [
      'ai_trigger',
      () =>
        created('aiTriggerCreate', {
          name: 'Partner',
          eventType: 'lead.updated',
          prompt: 'Summarize.',
          conditions: partner('CHANGED'),
          actions: [{ type: 'CREATE_TASK', config: { subject: 'Call' } }],
        }),
    ],
    [
      'after_save_trigger',
      async () => {
        const { apiName } = (await aFunction()) as unknown as { apiName: string }
        const body = { objectType: 'LEAD', name: 'Partner', operations: ['UPDATE'], function: apiName }
        return created('afterSaveTriggerCreate', { ...body, conditions: partner('CHANGED') })
      },
    ],
    [
      'workflow',
      () =>
        created('workflowCreate', {
          name: 'Partner',
          triggerType: 'FIELD_CHANGED',
          triggerEntity: 'LEAD',
          triggerConfig: { fields: ['customFields.partner'] },
        }),
    ],
    [
      'custom_field',
      () =>
        field(owner, {
          name: 'leads',
          fieldType: 'ROLLUP_SUMMARY',
          rollupConfig: { childObject: 'LEAD', relationField: 'customFields.partner', aggregate: 'COUNT' },
        }),
    ],
  ])('is not deleted while a %s names it, and then is', async (used, use) => {
    const values = { entity: 'LEAD', name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' }
    const { id } = await field(owner, values)
    await settleFieldChanges(platform)
    const { id: user } = await use()
    await settleFieldChanges(platform)
    const before = await platform.fingerprint(owner.organizationId)
    const answer = await owner.rest['customFieldDelete']!({ id })
    expect(problemsOf(answer)).toBe('409 HAS_DEPENDENTS')
    expect(answer.body.usedBy).toEqual([expect.objectContaining({ object: used, id: user })])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    const operation = `${used.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())}Delete`
    expect((await owner.rest[operation]!({ id: user })).status).toBe(204)
    expect((await owner.rest['customFieldDelete']!({ id })).status).toBe(204)
  })
})
let fields = 0

describe('a template', () => {
  it('shows the values of custom fields', async () => {
    await field(owner, { entity: 'LEAD', name: 'plan', fieldType: 'TEXT' })
    const { id } = await template('Plan {{ lead.customFields.plan }}')
    const { id: leadId } = await lead(member, { customFields: { plan: 'Deluxe' } })
    const { status, body } = await owner.rest['emailTemplatePreview']!({ id, body: { leadId } } as never)
    expect([status, body.bodyHtml]).toEqual([200, '<p>Plan Deluxe</p>'])
  })
})
