import { afterAll, beforeAll, expect, it } from 'vitest'
import { executionQueue } from '../../subgraphs/assistant/ai-execution/execution.queue.ts'
import { triggerConsumer } from '../../subgraphs/assistant/ai-execution/trigger-consumer.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { account, contact, supportCase } from '../builders.ts'
import { workflowsOf } from '../extensions/workflows.fixture.ts'
import { completion, ModelServer } from '../outreach/model-server.ts'
import { Platform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

const server = new ModelServer()
let platform: Platform
let flows: ReturnType<typeof workflowsOf>

beforeAll(async () => {
  const url = await server.start()
  server.answer = (_asked, response) => response.end(completion('not what was asked for'))
  platform = new Platform({ MODEL_URL: url, MODEL_NAME: 'writer-1', OUTBOUND_ALLOW: '127.0.0.0/8' })
  await platform.open()
  flows = workflowsOf(platform)
})
afterAll(async () => {
  await platform.close()
  server.stop()
})

/** An owner of an organization whose records have a word that must not leave it. */
async function anOwner(disabledAssistantModes: readonly string[] | null): Promise<Member> {
  platform.advanceClock(60_000)
  const owner = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
  const rest = restClient(platform.contract, platform.url, {
    Authorization: `Bearer ${await sessionOf(platform, owner)}`,
  })
  const { status } = await rest['organizationUpdate']!({ body: { disabledAssistantModes } })
  expect(status).toBe(200)
  server.asked.length = 0
  return owner
}

const trigger = {
  name: 'Qualify',
  eventType: 'lead.created',
  prompt: 'Summarize.',
  actions: [],
}

async function execution(owner: Member): Promise<string> {
  const { organizationId } = owner
  const { id } = (await owner.rest.aiTriggerCreate!({ body: trigger })).body as { id: string }
  await owner.rest.leadCreate!({
    body: { lastName: 'Halvorsen', company: 'Secret Marine', description: 'It wants two cranes.' },
  })
  await platform.query('select kernel.assign_event_positions(100000)')
  while (await consumeNext(platform.services, triggerConsumer, organizationId));
  const runs = await platform.query(
    `update assistant.ai_run set lease_token = gen_random_uuid(), attempts = attempts + 1 where organization_id = $1 and state = 'QUEUED'
     returning id, execution_id as "executionId", trigger_id as "triggerId", attempts, lease_token as token`,
    [organizationId],
  )
  for (const run of runs) {
    const item = { ...run, organization: organizationId, lostToken: null } as never
    await executionQueue.attempt(platform.services, item, new AbortController().signal)
  }
  return (await owner.rest.aiTriggerExecutions!({ id })).body.data[0].status as string
}

const uses: readonly (readonly [string, (owner: Member) => Promise<unknown>, unknown])[] = [
  [
    'summary of a case',
    async (owner) => {
      const { id } = await supportCase(owner, { subject: 'Secret jam', description: 'Dock 3 jams since May.' })
      return (await owner.rest.caseSummarize!({ id })).body.model as unknown
    },
    'extractive-1',
  ],
  [
    'brief of an account',
    async (owner) => {
      const { id } = await account(owner, { name: 'Secret Marine' })
      return (await owner.rest.accountBriefGenerate!({ id })).body.model as unknown
    },
    'brief-rules-1',
  ],
  [
    'mail',
    async (owner) => {
      const { id } = await contact(owner, { firstName: 'Ida', lastName: 'Secret', email: 'ida@berg.example' })
      const { status, body } = await owner.rest.smartEmailCompose!({ body: { contactId: id, purpose: 'A call' } })
      return status === 201 ? (body.generation.model as unknown) : status
    },
    'local-composer-1',
  ],
  [
    'variant of a mail',
    async (owner) => {
      const { id } = (
        await owner.rest.smartEmailDraftCreate!({ body: { subject: 'Secret', bodyHtml: '<p>Call me</p>' } })
      ).body
      const { status, body } = await owner.rest.smartEmailDraftVariants!({ id })
      return status === 200 ? (body[0].model as unknown) : status
    },
    'local-composer-1',
  ],
  [
    'extraction of companies',
    async (owner) =>
      (await owner.rest.conversationMetadataExtract!({ body: { content: 'A letter of Secret Pumps GmbH' } })).body
        .source as unknown,
    'RULES',
  ],
  ['AI workflow', execution, 'SUCCEEDED'],
  [
    'test of an AI workflow',
    async (owner) => {
      const { id } = (await owner.rest.aiTriggerCreate!({ body: trigger })).body as { id: string }
      return (await owner.rest.aiTriggerTest!({ id, body: {} })).body.status as unknown
    },
    'SUCCEEDED',
  ],
  [
    'step of a workflow',
    async (owner) => {
      const { status, error } = await flows.ran(owner, [{ id: 'ask', type: 'AI_PROMPT', config: { prompt: 'Secret' } }])
      return [status, error?.code]
    },
    ['FAILED', 'MODEL_NOT_CONFIGURED'],
  ],
  [
    'answer of the assistant',
    async (owner) => {
      const { id } = (await owner.rest.conversationCreate!({ body: {} })).body
      return (await owner.rest.conversationSend!({ id, body: { content: 'How many accounts?' } })).body.mode as unknown
    },
    'local',
  ],
]

it.each(uses)(
  'An organization that has switched the model off sends nothing to its provider: %s',
  async (_, use, byRules) => {
    expect(await use(await anOwner(['model']))).toEqual(byRules)
    expect(server.asked).toEqual([])
    // Another organization does, so the test can see it.
    await use(await anOwner(null))
    expect(server.asked.length).toBeGreaterThan(0)
  },
)
