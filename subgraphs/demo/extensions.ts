import { actionSecretPlace } from '../extensions/action/action-secret.ts'
import { customAction } from '../extensions/action/custom-action.record.ts'
import { automationConsumer } from '../extensions/subscription/automation-consumer.ts'
import { serverlessFunction } from '../extensions/function/function.record.ts'
import type { ServerlessFunction } from '../extensions/function/function.ts'
import { newSigningSecret } from '../kernel/secrets/signing-secret.ts'
import { hookSecretPlace } from '../extensions/hook/hook-secret.ts'
import { beforeSaveHook } from '../extensions/hook/hook.record.ts'
import type { BeforeSaveHook } from '../extensions/hook/hook.ts'
import { eventTypesOfTrigger } from '../extensions/trigger/trigger.actions.ts'
import { afterSaveTrigger } from '../extensions/trigger/trigger.record.ts'
import type { AfterSaveTrigger } from '../extensions/trigger/trigger.ts'
import { validationRule } from '../extensions/validation-rule/validation-rule.record.ts'
import type { ValidationRule } from '../extensions/validation-rule/validation-rule.ts'
import type { Sql } from '../kernel/database/sql.ts'
import type { Condition } from '../kernel/condition/condition.ts'
import { insertRecords } from '../kernel/record/insert-records.ts'
import type { Services } from '../kernel/request.ts'
import { Vault } from '../kernel/secrets/vault.ts'
import { dayMs } from './calendar.ts'
import { demoActions } from './custom-actions.ts'
import { casePriority, estimateDelivery, planHandover, planVisit } from './function-sources.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

const createdDays = 60

const condition = (field: string, operator: Condition['operator'], value: unknown): Condition => ({
  field,
  operator,
  value,
  valueType: 'LITERAL',
  logic: null,
  conditions: null,
})

const functions = [
  {
    apiName: 'case_priority',
    name: 'Priority of a case',
    description: 'Gives cases about a standstill the priority HIGH. A hook calls it; it can also be invoked.',
    source: casePriority,
    scopes: [] as string[],
    httpEnabled: true,
  },
  {
    apiName: 'plan_handover',
    name: 'Plan the handover',
    description: 'Creates the task to hand a won deal over. A trigger runs it.',
    source: planHandover,
    scopes: ['WRITE_TASKS'],
    httpEnabled: false,
  },
  {
    apiName: 'estimate_delivery',
    name: 'Estimate a delivery',
    description: 'In how many days a delivery arrives. A custom action runs it.',
    source: estimateDelivery,
    scopes: [],
    httpEnabled: false,
  },
  {
    apiName: 'plan_visit',
    name: 'Plan a visit',
    description: 'Creates the task to visit an account. A custom action runs it.',
    source: planVisit,
    scopes: ['WRITE_TASKS'],
    httpEnabled: false,
  },
]

/** Four functions, a rule, a hook, a trigger and two custom actions, which all are turned on: a visitor changes records or runs an action, and reads the invocations. */
export async function loadExtensions({ database: sql, keys }: Services, input: GeneratorInput): Promise<void> {
  const { organizationId, profile, users, midnightMs } = input
  const random = new Random(`extensions ${profile.code}`)
  const owner = users.find(({ role }) => role === 'OWNER')!
  const createdMs = midnightMs - createdDays * dayMs
  const made = <T>(values: T) => ({
    values: { ...commonFields(input, random, createdMs, owner.id), ...values },
    actorId: owner.id,
    eventId: random.id(createdMs),
  })
  for (const { source, ...settings } of functions) {
    const versionId = random.id(createdMs)
    const own = made<Partial<ServerlessFunction>>({
      ...settings,
      language: 'javascript',
      runAsUserId: owner.id,
      runAsAdmin: true,
      deployedVersionId: versionId,
    })
    await insertRecords(sql, serverlessFunction, [own])
    await sql.query(
      `insert into extensions.function_version (organization_id, id, function_id, number, language, source, code, created_at, created_by_id)
       values ($1, $2, $3, 1, 'javascript', $4, $4, $5, $6)`,
      [organizationId, versionId, own.values.id, source, own.values.createdAt, owner.id],
    )
  }
  await insertRecords(sql, validationRule, [
    made<Partial<ValidationRule>>({
      entityType: 'ACCOUNT',
      name: 'Strategic accounts have an industry',
      description: 'Marketing plans by industry.',
      conditions: [condition('isStrategic', 'EQUALS', true), condition('industry', 'IS_EMPTY', null)],
      errorMessage: 'A strategic account needs an industry.',
      errorField: 'industry',
    }),
  ])
  const hook = made<Partial<BeforeSaveHook>>({
    objectType: 'CASE',
    name: 'Standstills first',
    description: 'Cases about a standstill begin with the priority HIGH.',
    operations: ['CREATE'],
    function: 'case_priority',
  })
  // The organization is created in this transaction, which no other connection sees.
  const vault = new Vault(sql, keys.encryption)
  await vault.load(organizationId)
  const sealedSecret = vault.seal(organizationId, hookSecretPlace(organizationId, hook.values.id), newSigningSecret())
  await insertRecords(sql, beforeSaveHook, [{ ...hook, values: { ...hook.values, sealedSecret } }])
  const actions = demoActions.map((one) => made(one))
  await insertRecords(
    sql,
    customAction,
    actions.map(({ values, ...rest }) => {
      const place = actionSecretPlace(organizationId, values.id)
      return { ...rest, values: { ...values, sealedSecret: vault.seal(organizationId, place, newSigningSecret()) } }
    }),
  )
  await insertRecords(sql, afterSaveTrigger, [
    made<Partial<AfterSaveTrigger>>({
      objectType: 'OPPORTUNITY',
      name: 'Hand over what was won',
      description: 'The project team needs a week.',
      operations: ['UPDATE'],
      conditions: [condition('stage', 'CHANGED_TO', 'CLOSED_WON')],
      function: 'plan_handover',
      eventTypes: eventTypesOfTrigger('OPPORTUNITY', ['UPDATE']),
    }),
  ])
  await sql.query('select kernel.publish_definitions($1)', [organizationId])
  await beginAfterDemo(sql, organizationId)
}

/** The trigger reacts to what happens from then on. The events of the demo get their positions after this transaction. */
async function beginAfterDemo(database: Sql, organizationId: string): Promise<void> {
  const head = '(select count(*) from kernel.event where organization_id = $1)'
  await database.query(
    `update extensions.event_subscription set position = ${head}, earlier_event_ids = '{}' where organization_id = $1`,
    [organizationId],
  )
  await database.query(`update kernel.event_consumer set position = ${head} where organization_id = $1 and name = $2`, [
    organizationId,
    automationConsumer.name,
  ])
}
