import { newHookToken, secretPlace } from '../extensions/workflow/workflow-secret.ts'
import { newSigningSecret } from '../kernel/secrets/signing-secret.ts'
import { workflow } from '../extensions/workflow/workflow.record.ts'
import type { Workflow } from '../extensions/workflow/workflow.ts'
import { insertRecords, type GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { Services } from '../kernel/request.ts'
import { Vault } from '../kernel/secrets/vault.ts'
import { dayMs } from './calendar.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

const createdDays = 60

/** A visitor runs it for a lead, and reads in its run what it has done. */
const steps = [
  {
    id: 'hot',
    type: 'BRANCH',
    name: 'Is it a hot lead?',
    config: {},
    branches: [{ conditions: [{ field: 'rating', operator: 'EQUALS', value: 'HOT' }], next: 'call' }],
    next: 'write',
    onError: 'FAIL',
  },
  {
    id: 'call',
    type: 'CREATE_TASK',
    name: 'Call at once',
    config: { subject: 'Call {{record.name}} today', type: 'CALL', priority: 'HIGH', dueInDays: 1 },
    branches: null,
    next: null,
    onError: 'FAIL',
  },
  {
    id: 'write',
    type: 'CREATE_TASK',
    name: 'Write within a week',
    config: { subject: 'Write to {{record.name}}', type: 'EMAIL', priority: 'MEDIUM', dueInDays: 7 },
    branches: null,
    next: null,
    onError: 'FAIL',
  },
] as const

/** A workflow that is active and run by hand only. */
export async function loadWorkflows({ database: sql, keys }: Services, input: GeneratorInput): Promise<void> {
  const { organizationId, profile, users, midnightMs } = input
  const random = new Random(`workflows ${profile.code}`)
  const owner = users.find(({ role }) => role === 'OWNER')!
  const common = commonFields(input, random, midnightMs - createdDays * dayMs, owner.id)
  // The organization is created in this transaction, which no other connection sees.
  const vault = new Vault(sql, keys.encryption)
  await vault.load(organizationId)
  const values = {
    ...common,
    name: 'Follow up a lead',
    description: 'Creates the task that fits the rating of a lead.',
    runAsUserId: owner.id,
    status: 'ACTIVE',
    triggerType: 'MANUAL',
    triggerEntity: 'LEAD',
    triggerConfig: {},
    steps: steps as unknown as Workflow['steps'],
    stepsVersion: 1,
    allowManual: true,
    hookToken: newHookToken(),
    sealedSecret: vault.seal(organizationId, secretPlace(organizationId, common.id), newSigningSecret()),
  } satisfies Partial<Workflow>
  const generated: GeneratedRecord<Workflow> = {
    values,
    actorId: owner.id,
    eventId: random.id(midnightMs - createdDays * dayMs),
  }
  await insertRecords(sql, workflow, [generated])
}
