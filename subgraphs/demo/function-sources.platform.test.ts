import { beforeAll, expect, it } from 'vitest'
import { account, opportunity } from '../../test/builders.ts'
import { usePlatform, type Member } from '../../test/platform.ts'
import { automationConsumer } from '../extensions/subscription/automation-consumer.ts'
import { triggerQueue } from '../extensions/trigger/trigger-queue.ts'
import { consumeNext } from '../kernel/outbox/consume-events.ts'
import { drain } from '../kernel/queue/queue.fixture.ts'
import { demoActions } from './custom-actions.ts'
import { casePriority, estimateDelivery, planHandover, planVisit } from './function-sources.ts'

const platform = usePlatform()
let owner: Member

beforeAll(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Sources'), role: 'OWNER' })
})

async function aFunction(apiName: string, source: string, settings: object = {}): Promise<void> {
  const body = { apiName, name: apiName, language: 'javascript', source, ...settings }
  expect((await owner.rest.serverlessFunctionCreate!({ body })).status).toBe(201)
}

it('the hook of the demo raises the priority of cases about a standstill', async () => {
  await aFunction('case_priority', casePriority)
  const hook = { objectType: 'CASE', name: 'Standstills first', operations: ['CREATE'], function: 'case_priority' }
  expect((await owner.rest.beforeSaveHookCreate!({ body: hook } as never)).status).toBe(201)
  const priorityOf = async (body: object) => (await owner.rest.caseCreate!({ body } as never)).body['priority']
  expect(await priorityOf({ subject: 'All scanners are down' })).toBe('HIGH')
  expect(await priorityOf({ subject: 'Printer', description: 'It cannot print.', priority: 'LOW' })).toBe('HIGH')
  expect(await priorityOf({ subject: 'Downtown office has moved' })).toBe('MEDIUM')
  expect(await priorityOf({ subject: 'Outage', priority: 'URGENT' })).toBe('URGENT')
})

it('the trigger of the demo plans the handover of a won deal, once', async () => {
  await aFunction('plan_handover', planHandover, { scopes: ['WRITE_TASKS'], runAsAdmin: true })
  const conditions = [{ field: 'stage', operator: 'CHANGED_TO', value: 'CLOSED_WON' }]
  const body = { objectType: 'OPPORTUNITY', name: 'Won', operations: ['UPDATE'], conditions, function: 'plan_handover' }
  expect((await owner.rest.afterSaveTriggerCreate!({ body } as never)).status).toBe(201)
  const { id } = await opportunity(owner, { name: 'Two yards' })
  for (const change of [{ stage: 'NEGOTIATION' }, { stage: 'CLOSED_WON' }, { nextStep: 'Invoice' }])
    expect((await owner.rest.opportunityUpdate!({ id, body: change } as never)).status).toBe(200)
  await platform.services.database.query('select kernel.assign_event_positions(10000)')
  while (await consumeNext(platform.services, automationConsumer, owner.organizationId));
  await drain(triggerQueue, platform.services)
  const { body: tasks } = await owner.rest.taskList!()
  expect(tasks['data']).toMatchObject([
    { subject: 'Hand over Two yards', priority: 'HIGH', relatedToType: 'OPPORTUNITY', relatedToId: id },
  ])
})

it('the actions of the demo estimate a delivery and plan a visit', async () => {
  await aFunction('estimate_delivery', estimateDelivery)
  await aFunction('plan_visit', planVisit, { scopes: ['WRITE_TASKS'], runAsAdmin: true })
  for (const body of demoActions) expect((await owner.rest.customActionCreate!({ body } as never)).status).toBe(201)
  const run = async (id: string, body: object) => (await owner.rest.customActionExecute!({ id, body } as never)).body
  expect(await run('estimate_delivery', { input: { country: 'NO', weightKg: 800 } })).toMatchObject({
    output: { days: 4, zone: 'near' },
  })
  const { id: recordId } = await account(owner, { name: 'Halvorsen Marine' })
  const { output } = await run('plan_visit', { recordId, input: { reason: 'new yard' } })
  const { body: task } = await owner.rest.task!({ id: (output as { taskId: string }).taskId })
  expect(task).toMatchObject({ subject: 'Visit: new yard', relatedToType: 'ACCOUNT', relatedToId: recordId })
})
