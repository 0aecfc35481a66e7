import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { triageScan } from '../../subgraphs/insights/triage/scan.job.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { updateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { dayMs } from '../../subgraphs/kernel/time/wall-calendar.ts'
import { account, activity, contact, sentInvoice, supportCase } from '../builders.ts'
import { refused, refusedInputs, unchanged, values } from '../expectations.ts'
import { notify } from '../notifications/notify.ts'
import { answerJson, Service } from '../extensions/service.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let owner: Member
// A scan looks at all accounts of an organization.
beforeEach(async () => {
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
})

const colleague = (options: object = {}) => platform.member({ organizationId: owner.organizationId, ...options })

/** An account with three urgent cases and a champion who has left: a risk of 57.44. */
async function riskyAccount(member = owner, fields: object = {}) {
  const { id } = await account(member, fields)
  const urgent = []
  for (let row = 0; row < 3; row++) urgent.push(await supportCase(member, { accountId: id, priority: 'URGENT' }))
  const champion = await contact(member, { accountId: id, buyingRole: 'CHAMPION', status: 'INACTIVE' })
  return { id: id as string, urgent: urgent.map((one) => one.id as string), champion: champion.id as string }
}

async function scan(member = owner) {
  await platform.query('delete from insights.triage_scan where organization_id = $1', [member.organizationId])
  const { status, body } = await member.rest.triageScanRequest!({})
  expect([status, body.status]).toEqual([202, 'QUEUED'])
  await triageScan.run(platform.services)
}

async function caseOf(accountId: string, member = owner) {
  const { body } = await member.rest.triageCaseList!({ query: { accountId } })
  expect(body.data).toHaveLength(1)
  return body.data[0]
}

async function openCase(member = owner, fields: object = {}) {
  const risky = await riskyAccount(member, fields)
  await scan()
  return { ...risky, triage: await caseOf(risky.id) }
}

const eventsOf = async (id: string) =>
  (await platform.query<{ type: string }>(`select type from kernel.event where record_id = $1 order by id`, [id])).map(
    ({ type }) => type,
  )

/** Removes what makes the account risky. */
async function calm(urgent: readonly string[], champion: string) {
  for (const id of urgent) await owner.rest.caseUpdate!({ id, body: { priority: 'LOW' } })
  await owner.rest.contactUpdate!({ id: champion, body: { status: 'ACTIVE' } })
}

const actionOf = (triage: { actions: { type: string; id: string }[] }, type = 'CREATE_TASK') =>
  triage.actions.find((one) => one.type === type)!

describe('a scan', () => {
  it('opens one case with signals that add up, evidence, actions and revenue at risk', async () => {
    const { id, urgent, champion } = await riskyAccount(owner, { type: 'CUSTOMER', healthScore: 88, churnRisk: 'LOW' })
    await sentInvoice(owner, { customerId: id })
    await scan()
    const triage = await caseOf(id)
    expect(triage).toMatchObject({
      accountName: 'Northwind Traders',
      status: 'OPEN',
      severity: 'MEDIUM',
      riskScore: 57.44,
      churnRisk: 'MEDIUM',
      revenueAtRisk: 68.35,
      currency: 'USD',
      ownerId: owner.userId,
      openedAt: platform.now.toISOString(),
    })
    const { signals } = triage as { signals: { key: string; contribution: number; evidence: unknown[] }[] }
    expect(signals.map(({ key }) => key)).toEqual([
      'BASE_RATE',
      'SILENCE',
      'CHAMPION_LEFT',
      'OPEN_CASES',
      'CASES_REOPENED',
      'INVOICES_OVERDUE',
    ])
    expect(signals.reduce((sum, { contribution }) => sum + Math.round(contribution * 100), 0)).toBe(5744)
    expect(signals[2]!.evidence).toEqual([{ entityType: 'CONTACT', entityId: champion }])
    expect(signals[3]!.evidence).toHaveLength(3)
    const named = triage.actions.map((one: { type: string; subject: { entityId: string } }) => [
      one.type,
      one.subject.entityId,
    ])
    expect(named.map(String).toSorted()).toEqual(
      [`CREATE_TASK,${id}`, ...urgent.map((one) => `ESCALATE_CASE,${one}`)].toSorted(),
    )
    expect(await eventsOf(triage.id)).toEqual(['triage.opened'])
    expect((await owner.rest.triageCaseList!({ query: { limit: 100 } })).body.data).toHaveLength(1)

    await scan()
    expect((await caseOf(id)).id).toBe(triage.id)
    // What belongs to clients is never written.
    expect((await owner.rest.account!({ id })).body).toMatchObject({ healthScore: 88, churnRisk: 'LOW', version: 1 })
  })

  it('counts neither planned nor automated activities', async () => {
    const { id } = await riskyAccount()
    const day = (days: number) => new Date(platform.now.getTime() + days * dayMs).toISOString()
    const meeting = { type: 'MEETING', accountId: id }
    await activity(owner, { ...meeting, occurredAt: day(-30) })
    await activity(owner, { ...meeting, occurredAt: day(-2), isAutomated: true })
    await activity(owner, { ...meeting, occurredAt: day(3) })
    await scan()
    const silence = (await caseOf(id)).signals.find(({ key }: { key: string }) => key === 'SILENCE')
    expect(silence.value).toBe(1)
  })

  it('resolves a case whose risk has fallen, and opens no other one during the cooldown', async () => {
    const { id, urgent, champion, triage } = await openCase()
    await calm(urgent, champion)
    await scan()
    const resolved = await caseOf(id)
    expect(resolved).toMatchObject({ id: triage.id, status: 'RESOLVED', resolution: 'The risk fell below 30.' })
    expect(await eventsOf(triage.id)).toEqual(['triage.opened', 'triage.resolved'])

    for (const one of urgent) await owner.rest.caseUpdate!({ id: one, body: { priority: 'URGENT' } })
    await owner.rest.contactUpdate!({ id: champion, body: { status: 'INACTIVE' } })
    platform.advanceClock(13 * dayMs)
    await scan()
    expect((await caseOf(id)).id).toBe(triage.id)
    platform.advanceClock(2 * dayMs)
    await scan()
    const { body } = await owner.rest.triageCaseList!({ query: { accountId: id } })
    expect(
      values({ body } as never, 'status')
        .map(String)
        .toSorted(),
    ).toEqual(['OPEN', 'RESOLVED'])
  })

  it('looks at no account that is churned or of an excluded type, and resolves its case', async () => {
    const { id } = await openCase()
    await owner.rest.accountUpdate!({ id, body: { accountStatus: 'CHURNED' } })
    platform.advanceClock(60_000)
    await scan()
    expect(await caseOf(id)).toMatchObject({ status: 'RESOLVED', resolution: 'The account is no longer scanned.' })
  })

  it('resolves any number of such cases, a thousand at a time', async () => {
    const organizationId = await platform.organization('Churned')
    const boss = await platform.member({ role: 'OWNER', organizationId })
    const { id } = await riskyAccount(boss)
    await scan(boss)
    const triage = await caseOf(id, boss)
    const copies = 1001
    await platform.query(
      `with copied as (
         insert into crm.account (organization_id, id, owner_id, name, account_status, is_strategic, custom_fields, version, created_at, updated_at)
         select organization_id, gen_random_uuid(), owner_id, 'Former ' || number, 'CHURNED', false, '{}', 1, created_at, updated_at
         from crm.account, generate_series(1, ${copies}) number where id = $1 returning id)
       insert into insights.triage_case select copy.* from copied, insights.triage_case t,
         jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'account_id', copied.id)) copy where t.id = $2`,
      [id, triage.id],
    )
    platform.advanceClock(60_000)
    await scan(boss)
    const counted = await platform.query(
      `select s.resolved, s.started_at, (select count(*)::int from insights.triage_case t where t.organization_id = $1 and t.status = 'RESOLVED') as cases
       from insights.triage_scan s where s.organization_id = $1`,
      [boss.organizationId],
    )
    expect(counted).toEqual([{ resolved: copies, started_at: null, cases: copies }])
    expect((await boss.rest.triageCase!({ id: triage.id })).body.status).toBe('OPEN')
  })

  it('is one at a time, for owners and admins, and goes on where it was interrupted', async () => {
    const member = await colleague()
    expect(await refused(platform, () => member.rest.triageScanRequest!({}))).toEqual([403, 'PERMISSION_DENIED'])
    const [first, second] = [await riskyAccount(), await riskyAccount()]
    const { organizationId } = owner
    await platform.query('delete from insights.triage_scan where organization_id = $1', [organizationId])
    expect((await owner.rest.triageScanRequest!({})).status).toBe(202)
    expect(await refused(platform, () => owner.rest.triageScanRequest!({}))).toEqual([409, 'INVALID_STATE'])
    // As after a crash behind the batch that ended with the first account.
    await platform.query(
      'update insights.triage_scan set started_at = $2, after_id = $3, accounts = 1 where organization_id = $1',
      [organizationId, platform.now.toISOString(), first.id],
    )
    expect(await refused(platform, () => owner.rest.triageScanRequest!({}))).toEqual([409, 'INVALID_STATE'])
    await Promise.all([triageScan.run(platform.services), triageScan.run(platform.services)])
    expect((await caseOf(second.id)).status).toBe('OPEN')
    expect((await owner.rest.triageCaseList!({ query: { accountId: first.id } })).body.data).toEqual([])
    const [row] = await platform.query('select * from insights.triage_scan where organization_id = $1', [
      organizationId,
    ])
    expect(row).toMatchObject({ accounts: 2, opened: 1, started_at: null, requested_at: null, after_id: null })
  })

  it('runs at the time of its schedule in the zone of the organization', async () => {
    await platform.query('delete from insights.triage_scan')
    await triageScan.run(platform.services)
    const { body } = await owner.rest.triageConfig!({})
    const next = new Date(platform.now)
    next.setUTCHours(6, 0, 0, 0)
    if (next <= platform.now) next.setUTCDate(next.getUTCDate() + 1)
    expect(body.nextScanAt).toBe(next.toISOString())
    const { id } = await riskyAccount()
    platform.now = new Date(next.getTime() - 1000)
    await triageScan.run(platform.services)
    expect((await owner.rest.triageCaseList!({ query: { accountId: id } })).body.data).toEqual([])
    platform.now = next
    await triageScan.run(platform.services)
    expect((await caseOf(id)).status).toBe('OPEN')
    expect((await owner.rest.triageConfig!({})).body.lastScanAt).toBe(next.toISOString())
  })

  it('notifies the owner of the account, unless the configuration says otherwise', async () => {
    const other = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const told = async () => {
      const { id } = await riskyAccount(other)
      await scan(other)
      await notify(platform, other.organizationId)
      return platform.query(
        `select user_id as "userId", entity_type as "entityType", subject from events.notification where event_key = 'triage.opened' and entity_id = $1`,
        [id],
      )
    }
    expect(await told()).toEqual([{ userId: other.userId, entityType: 'account', subject: 'Northwind Traders' }])
    await other.rest.triageConfigUpdate!({ body: { notify: { owner: false } } })
    expect(await told()).toEqual([])
  })
})

describe('an ignored case', () => {
  it.each([
    ['its time', { until: 5, reason: 'Closed until spring' }, 5],
    ['the cooldown', {}, 14],
  ])('is opened again after %s if the risk remains', async (_, { until, ...rest }: { until?: number }, days) => {
    const { id, triage } = await openCase()
    const at = until && new Date(platform.now.getTime() + until * dayMs).toISOString()
    const body = { ...rest, ...(at && { until: at }) }
    const ignored = await owner.rest.triageIgnore!({ id: triage.id, body })
    expect(ignored.body).toMatchObject({ status: 'IGNORED', ignoredUntil: at ?? null })
    platform.advanceClock(days * dayMs - 1000)
    await scan()
    expect((await caseOf(id)).status).toBe('IGNORED')
    platform.advanceClock(1000)
    await scan()
    expect(await caseOf(id)).toMatchObject({ id: triage.id, status: 'OPEN', ignoredUntil: null, ignoreReason: null })
    expect((await eventsOf(triage.id)).at(-1)).toBe('triage.reopened')
  })

  it('stays so without the risk, and cannot be ignored until a past time', async () => {
    const { id, urgent, champion, triage } = await openCase()
    const past = () => owner.rest.triageIgnore!({ id: triage.id, body: { until: '2020-01-01' } })
    expect(await refusedInputs(platform, past)).toEqual([400, 'VALIDATION_FAILED', 'until OUT_OF_RANGE'])
    await owner.rest.triageIgnore!({ id: triage.id, body: {} })
    await calm(urgent, champion)
    platform.advanceClock(20 * dayMs)
    await scan()
    expect((await caseOf(id)).status).toBe('IGNORED')
  })
})

describe('an action', () => {
  it('runs once as the user, and moves the case on', async () => {
    const { id, triage } = await openCase()
    const { id: actionId } = actionOf(triage)
    const execute = () => owner.rest.triageActionExecute!({ id: triage.id, actionId })
    const { status, body } = await execute()
    expect([status, body.status, actionOf(body)]).toEqual([
      200,
      'IN_PROGRESS',
      expect.objectContaining({ id: actionId, status: 'EXECUTED', resultId: actionId, error: null }),
    ])
    const { body: task } = await owner.rest.task!({ id: actionId })
    expect(task).toMatchObject({
      createdById: owner.userId,
      source: 'TRIAGE',
      relatedToType: 'ACCOUNT',
      relatedToId: id,
    })
    expect(await refused(platform, execute)).toEqual([409, 'INVALID_STATE'])
    // It is not suggested again.
    await scan()
    expect(actionOf(await caseOf(id))).toMatchObject({ id: actionId, status: 'EXECUTED' })
  })

  it('is tried in a dry run, with the events of its task and of the case', async () => {
    const { id, triage } = await openCase()
    const { id: actionId } = actionOf(triage)
    // The data key of an organization is created when it is first needed, in whatever request.
    await platform.services.vault.load(owner.organizationId)
    const answer = await unchanged(platform, () =>
      owner.rest.triageActionExecute!({ id: triage.id, actionId, headers: { Prefer: 'dry-run' } }),
    )
    expect([answer.status, answer.body.status, actionOf(answer.body)]).toEqual([
      200,
      'IN_PROGRESS',
      expect.objectContaining({ id: actionId, status: 'EXECUTED', resultId: actionId }),
    ])
    expect(answer.headers.get('dry-run-events')).toBe(
      `"task.created";id="${actionId}", "triage_case.updated";id="${triage.id}"`,
    )
    expect([await caseOf(id), (await owner.rest.task!({ id: actionId })).status]).toEqual([triage, 404])
  })

  it('runs once if two users execute it at once', async () => {
    const other = await colleague({ role: 'ADMIN' })
    const { triage } = await openCase()
    const { id: actionId } = actionOf(triage)
    const answers = await Promise.all(
      [owner, other, owner].map((member) => member.rest.triageActionExecute!({ id: triage.id, actionId })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    const tasks = await platform.query('select id from crm.task where id = $1', [actionId])
    expect(tasks).toHaveLength(1)
  })

  it('is neither lost nor doubled by a crash between its effect and its record', async () => {
    const { triage } = await openCase()
    const { id: actionId } = actionOf(triage)
    await owner.rest.triageActionExecute!({ id: triage.id, actionId })
    // As if the process had been killed before it recorded what it did.
    await platform.query('update insights.triage_case set stored_actions = $2, status = $3 where id = $1', [
      triage.id,
      JSON.stringify(await storedBefore(triage.id, actionId)),
      'OPEN',
    ])
    // The stored answer is forgotten after a day; the task is still there.
    await platform.query(`delete from kernel.idempotency where credential_id = 'triage'`)
    const { status, body } = await owner.rest.triageActionExecute!({ id: triage.id, actionId })
    expect([status, actionOf(body)]).toEqual([200, expect.objectContaining({ status: 'EXECUTED', resultId: actionId })])
    expect(await platform.query('select id from crm.task where id = $1', [actionId])).toHaveLength(1)
  })

  async function storedBefore(caseId: string, actionId: string) {
    const [row] = await platform.query<{ stored: { id: string }[] }>(
      'select stored_actions as stored from insights.triage_case where id = $1',
      [caseId],
    )
    return row!.stored.map((one) => (one.id === actionId ? { ...one, status: 'SUGGESTED', resultId: null } : one))
  }

  it('that is refused is FAILED, and only a saved plan makes it PLANNED again', async () => {
    const { urgent, triage } = await openCase()
    const escalation = triage.actions.find(
      (one: { subject: { entityId: string } }) => one.subject.entityId === urgent[0],
    )
    await platform.query(
      `update identity.organization set settings = '{"enforceCaseTransitions":true}' where id = $1`,
      [owner.organizationId],
    )
    await platform.query(`update support."case" set status = 'CLOSED' where id = $1`, [urgent[0]])
    const execute = () => owner.rest.triageActionExecute!({ id: triage.id, actionId: escalation.id })
    const { body } = await execute()
    expect(body.actions.find((one: { id: string }) => one.id === escalation.id)).toMatchObject({
      status: 'FAILED',
      resultId: null,
      error: expect.stringMatching(/^INVALID_STATE: /),
    })
    expect(await refused(platform, execute)).toEqual([409, 'INVALID_STATE'])
    const saved = await owner.rest.triageSavePlan!({
      id: triage.id,
      body: { plan: 'Again', actionIds: [escalation.id] },
    })
    expect([saved.status, saved.body.status, saved.body.plan]).toEqual([200, 'IN_PROGRESS', 'Again'])
    const statuses = Object.fromEntries(
      saved.body.actions.map((one: { id: string; status: string }) => [one.id, one.status]),
    )
    expect(statuses[escalation.id]).toBe('PLANNED')
    expect(statuses[actionOf(triage).id]).toBe('SKIPPED')
    await platform.query(`update support."case" set status = 'OPEN' where id = $1`, [urgent[0]])
    await execute()
    expect((await owner.rest.case!({ id: urgent[0] })).body.status).toBe('ESCALATED')
    await platform.query(`update identity.organization set settings = '{}' where id = $1`, [owner.organizationId])
  })

  it('must be one of the case', async () => {
    const { triage } = await openCase()
    const other = await openCase()
    const actionId = actionOf(other.triage).id
    expect(await refused(platform, () => owner.rest.triageActionExecute!({ id: triage.id, actionId }))).toEqual([
      404,
      'NOT_FOUND',
    ])
    const save = () => owner.rest.triageSavePlan!({ id: triage.id, body: { actionIds: [actionId] } })
    expect(await refusedInputs(platform, save)).toEqual([400, 'VALIDATION_FAILED', 'actionIds.0 UNKNOWN_REFERENCE'])
  })
})

describe('a custom action', () => {
  const inputSchema = { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] }
  let service: Service
  beforeAll(async () => {
    service = await Service.start()
    service.respond = (res) => answerJson(res, 200, { ok: true })
  })
  afterAll(() => service.close())

  async function anAction(given: object = {}): Promise<string> {
    const apiName = `ship_${newId().slice(-10)}`
    const url = `${service.origin}/ship`
    const body = { apiName, label: 'Ship a part', url, inputSchema, outputSchema: { type: 'object' }, ...given }
    const { status } = await owner.rest.customActionCreate!({ body })
    expect(status).toBe(201)
    return apiName
  }
  const plan = (id: string, customActions: object[], member = owner) =>
    member.rest.triageSavePlan!({ id, body: { customActions } })
  const planned = async (apiName: string, sku = 'A-1') => {
    const { triage, id } = await openCase()
    const { status, body } = await plan(triage.id, [{ action: apiName, input: { sku } }])
    expect(status).toBe(200)
    return { id: triage.id as string, accountId: id, actionId: actionOf(body, 'CUSTOM_ACTION').id }
  }
  const execute = (one: { id: string; actionId: string }, member = owner) =>
    member.rest.triageActionExecute!({ id: one.id, actionId: one.actionId })

  it('that a plan adds runs once for the account, as the user, and cannot be deleted before', async () => {
    const apiName = await anAction()
    const one = await planned(apiName)
    const again = await plan(one.id, [{ action: apiName, input: { sku: 'A-1' } }])
    const own = again.body.actions.filter(({ type }: { type: string }) => type === 'CUSTOM_ACTION')
    expect(own).toMatchObject([{ id: one.actionId, title: 'Ship a part', status: 'PLANNED' }])
    const [{ id: action }] = (await owner.rest.customActionList!({ query: { apiName } })).body.data
    const kept = await owner.rest.customActionDelete!({ id: action })
    expect([kept.status, kept.body.usedBy]).toMatchObject([409, [{ object: 'triage_case', id: one.id }]])
    service.take()
    const answers = await Promise.all([execute(one), execute(one, await colleague())])
    const statuses = answers.map(({ status }) => status)
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
    expect(statuses).toContain(200)
    expect(service.take().map(({ text }) => JSON.parse(text))).toEqual([
      { action: apiName, recordId: one.accountId, objectType: 'ACCOUNT', input: { sku: 'A-1' } },
    ])
    const { body } = await owner.rest.triageCase!({ id: one.id })
    expect([body.status, actionOf(body, 'CUSTOM_ACTION')]).toMatchObject([
      'IN_PROGRESS',
      { status: 'EXECUTED', resultId: null, error: null },
    ])
    expect((await execute(one)).status).toBe(409)
    expect((await owner.rest.customActionDelete!({ id: action })).status).toBe(204)
  })

  it('is not called in a dry run, which is refused', async () => {
    const one = await planned(await anAction())
    service.take()
    const prefer = { headers: { Prefer: 'dry-run' } }
    const { status, body } = await owner.rest.triageActionExecute!({ id: one.id, actionId: one.actionId, ...prefer })
    expect([status, body.code, service.take()]).toEqual([400, 'DRY_RUN_NOT_SUPPORTED', []])
    const { body: kept } = await owner.rest.triageCase!({ id: one.id })
    expect(actionOf(kept, 'CUSTOM_ACTION')).toMatchObject({ id: one.actionId, status: 'PLANNED' })
    expect((await execute(one)).status).toBe(200)
  })

  it('that a user with more rights has executed does not fail for others before that is recorded', async () => {
    const one = await planned(await anAction())
    const sql = 'select stored_actions, status from insights.triage_case where id = $1'
    const [before] = await platform.query<{ stored_actions: unknown; status: string }>(sql, [one.id])
    service.take()
    expect((await execute(one)).status).toBe(200)
    // What a killed process leaves: the answer of the action, and nothing of it in the case.
    await platform.query('update insights.triage_case set stored_actions = $2, status = $3 where id = $1', [
      one.id,
      JSON.stringify(before!.stored_actions),
      before!.status,
    ])
    const refused = await execute(one, await colleague())
    expect([refused.status, refused.body.code]).toEqual([409, 'INVALID_STATE'])
    expect(await platform.query(sql, [one.id])).toEqual([before])
    expect(actionOf((await execute(one)).body, 'CUSTOM_ACTION')).toMatchObject({ status: 'EXECUTED', error: null })
    expect(service.take()).toHaveLength(1)
  })

  it('that fails or is turned off is FAILED, and sends nothing twice', async () => {
    const one = await planned(await anAction({ allowManual: true }))
    service.take()
    service.respond = (res) => answerJson(res, 503, {})
    const { body } = await execute(one)
    expect(actionOf(body, 'CUSTOM_ACTION')).toMatchObject({
      status: 'FAILED',
      error: expect.stringMatching(/^STATUS: /),
    })
    expect([service.take().length, (await execute(one)).status]).toEqual([1, 409])
    service.respond = (res) => answerJson(res, 200, { ok: true })
    const apiName = await anAction()
    const off = await planned(apiName)
    const [{ id }] = (await owner.rest.customActionList!({ query: { apiName } })).body.data
    await owner.rest.customActionUpdate!({ id, body: { allowManual: false } })
    const refusedAction = actionOf((await execute(off)).body, 'CUSTOM_ACTION')
    expect(refusedAction).toMatchObject({ status: 'FAILED', error: expect.stringContaining('allowManual') })
    expect(service.take()).toEqual([])
  })

  it('that its user may not run is not planned, and nothing is changed', async () => {
    const { triage } = await openCase()
    const foreign = await platform.member({ role: 'OWNER', organizationId: await platform.organization('Elsewhere') })
    const body = { apiName: 'theirs', label: 'X', url: `${service.origin}/x`, inputSchema, outputSchema: inputSchema }
    expect((await foreign.rest.customActionCreate!({ body })).status).toBe(201)
    const before = (await owner.rest.triageCase!({ id: triage.id })).body
    const wrong = async (action: string, input: unknown = { sku: 'A' }) => {
      const answer = await plan(triage.id, [{ action, input }])
      return [
        answer.status,
        ...answer.body.errors.map((one: { path: string; code: string }) => `${one.path} ${one.code}`),
      ]
    }
    expect(await wrong('theirs')).toEqual([400, 'customActions.0.action UNKNOWN_REFERENCE'])
    const contacts = await anAction({ objectTypes: ['CONTACT'] })
    expect(await wrong(contacts)).toEqual([400, 'customActions.0.action INVALID_STATE'])
    expect(await wrong(await anAction({ isActive: false }))).toEqual([400, 'customActions.0.action INVALID_STATE'])
    expect(await wrong(await anAction(), {})).toEqual([400, 'customActions.0.input.sku REQUIRED'])
    expect(await wrong(await anAction(), { sku: 'x'.repeat(4_000) })).toEqual([400, 'customActions.0.input TOO_LONG'])
    expect((await owner.rest.triageCase!({ id: triage.id })).body).toEqual(before)
  })
})

describe('sight', () => {
  it('a case is visible through its account, and its evidence and actions are records that the caller sees', async () => {
    const other = await colleague({ visibility: 'OWN' })
    const { id, urgent, triage } = await openCase()
    expect((await other.rest.triageCase!({ id: triage.id })).status).toBe(404)
    expect((await other.rest.triageStats!({})).body).toMatchObject({
      total: 0,
      averageRiskScore: null,
      totalRevenueAtRisk: 0,
    })
    const trends = await other.rest.triageTrends!({ query: { days: 2 } })
    expect(trends.body.map(({ open, opened }: { open: number; opened: number }) => open + opened)).toEqual([0, 0])
    expect(await refused(platform, () => other.rest.triageResolve!({ id: triage.id, body: {} }))).toEqual([
      404,
      'NOT_FOUND',
    ])

    await owner.rest.accountUpdate!({ id, body: { ownerId: other.userId } })
    const { body } = await other.rest.triageCase!({ id: triage.id })
    expect([body.riskScore, body.accountName]).toEqual([57.44, 'Northwind Traders'])
    expect(body.signals.flatMap(({ evidence }: { evidence: unknown[] }) => evidence)).toEqual([])
    expect(body.actions.map(({ type }: { type: string }) => type)).toEqual(['CREATE_TASK'])
    const escalation = triage.actions.find((one: { subject: { entityId: string } }) =>
      urgent.includes(one.subject.entityId),
    )
    const execute = () => other.rest.triageActionExecute!({ id: triage.id, actionId: escalation.id })
    expect(await refused(platform, execute)).toEqual([404, 'NOT_FOUND'])
    expect((await other.rest.triageStats!({})).body).toMatchObject({ total: 1, averageRiskScore: 57.44 })
  })

  it('an answer with evidence is no longer replayed to a caller who sees less', async () => {
    const reader = await colleague()
    const { id, urgent, triage } = await openCase()
    await owner.rest.accountUpdate!({ id, body: { ownerId: reader.userId } })
    const call = { id: triage.id, body: { plan: 'Call' }, headers: { 'Idempotency-Key': newId() } }
    const first = await reader.rest.triageSavePlan!(call)
    const evidence = first.body.signals.flatMap((one: { evidence: { entityId: string }[] }) => one.evidence)
    expect(evidence.map(({ entityId }: { entityId: string }) => entityId)).toEqual(expect.arrayContaining([...urgent]))
    const again = await unchanged(platform, () => reader.rest.triageSavePlan!(call))
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
    await updateUser(platform.services, reader.organizationId, reader.userId, { visibility: 'OWN' })
    // A gateway caches what a user may see for a second.
    platform.advanceClock(1000)
    expect((await reader.rest.triageCase!({ id: triage.id })).body.status).toBe('PLAN_SAVED')
    expect(await refused(platform, () => reader.rest.triageSavePlan!(call))).toEqual([404, 'NOT_FOUND'])
  })

  it('a profile that hides a fact hides the figures that follow from it, everywhere', async () => {
    const { id, triage } = await openCase()
    const restricted = await colleague()
    const ctx = systemContext(platform.services, owner.organizationId)
    const { id: profileId } = await createProfile(ctx, {
      name: 'No roles',
      fields: { contact: { buyingRole: 'HIDDEN' } },
    })
    await assignProfile(ctx, restricted.userId, profileId)
    const { body } = await restricted.rest.triageCase!({ id: triage.id })
    expect(body).toMatchObject({ status: 'OPEN', accountId: id, signals: null, actions: null })
    for (const name of ['riskScore', 'severity', 'churnRisk', 'revenueAtRisk', 'urgency'])
      expect(Object.hasOwn(body, name), name).toBe(false)
    const sorted = await unchanged(platform, () => restricted.rest.triageCaseList!({ query: { sortBy: 'riskScore' } }))
    expect([sorted.status, sorted.body.code]).toEqual([403, 'FIELD_NOT_READABLE'])
    const filtered = await unchanged(platform, () => restricted.rest.triageCaseList!({ query: { severity: 'MEDIUM' } }))
    expect([filtered.status, filtered.body.code]).toEqual([403, 'FIELD_NOT_READABLE'])
    expect((await restricted.rest.triageStats!({})).body).toMatchObject({
      bySeverity: null,
      averageRiskScore: null,
      averageRisk: null,
      totalRevenueAtRisk: null,
      revenueAtRisk: null,
    })
    const trends = (await restricted.rest.triageTrends!({ query: { days: 1 } })).body
    expect(trends[0]).toMatchObject({ averageRisk: null, revenueAtRisk: null })
    const health = await restricted.graphql('query ($id: ID!) { account(id: $id) { id health { score } } }', { id })
    expect(health.body).toEqual({ data: { account: { id, health: null } } })
  })
})

describe('figures', () => {
  it('are those of the cases by status, severity and day', async () => {
    const alone = await platform.member({ organizationId: await platform.organization('Solo'), role: 'OWNER' })
    const trendOf = async () => (await alone.rest.triageTrends!({ query: { days: 2 } })).body
    expect((await alone.rest.triageStats!({})).body).toMatchObject({
      total: 0,
      averageRiskScore: null,
      totalRevenueAtRisk: 0,
    })
    await riskyAccount(alone)
    const { id } = await riskyAccount(alone)
    await sentInvoice(alone, { customerId: id })
    await scan(alone)
    const triage = await caseOf(id, alone)
    await alone.rest.triageResolve!({ id: triage.id, body: { resolution: 'Renewed.' } })
    const date = platform.now.toISOString().slice(0, 10)
    const before = new Date(platform.now.getTime() - dayMs).toISOString().slice(0, 10)
    expect(await trendOf()).toEqual([
      { date: before, open: 0, opened: 0, resolved: 0, averageRisk: null, revenueAtRisk: null },
      { date, open: 1, opened: 2, resolved: 1, averageRisk: 57.44, revenueAtRisk: null },
    ])
    expect((await alone.rest.triageStats!({})).body).toEqual({
      total: 2,
      byStatus: { OPEN: 1, PLAN_SAVED: 0, IN_PROGRESS: 0, IGNORED: 0, RESOLVED: 1 },
      bySeverity: { CRITICAL: 0, HIGH: 0, MEDIUM: 1, LOW: 0 },
      averageRiskScore: 57.44,
      averageRisk: 57.44,
      totalRevenueAtRisk: 0,
      revenueAtRisk: 0,
      currency: 'USD',
    })
  })

  it('of the health of an account add up', async () => {
    const { id } = await riskyAccount()
    const query = 'query ($id: ID!) { account(id: $id) { health { score parts { key score weight contribution } } } }'
    const { body } = await owner.graphql(query, { id })
    expect(body.data.account.health).toEqual({
      score: 14.29,
      parts: [
        { key: 'SUPPORT', score: 25, weight: 0.5714, contribution: 14.29 },
        { key: 'RELATIONSHIP', score: 0, weight: 0.4286, contribution: 0 },
      ],
    })
  })
})

describe('the configuration', () => {
  it('is changed by owners and admins only, and by what is named only', async () => {
    const manager = await colleague({ role: 'MANAGER' })
    const set = (member: Member, body: object) => () => member.rest.triageConfigUpdate!({ body })
    expect(await refused(platform, set(manager, { cooldownDays: 3 }))).toEqual([403, 'PERMISSION_DENIED'])
    const admin = await colleague({ role: 'ADMIN' })
    const body = {
      weights: { silence: 0.6 },
      thresholds: { critical: 90 },
      minimumRevenue: 1000,
      notify: { owner: false },
    }
    const changed = await set(admin, body)()
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({
        enabled: true,
        weights: expect.objectContaining({ baseRate: -2.5, silence: 0.6 }),
        thresholds: { critical: 90, high: 60, medium: 40 },
        minimumRevenue: 1000,
        scanSchedule: '0 6 * * *',
        notify: { owner: false },
      }),
    ])
    expect((await manager.rest.triageConfig!({})).body).toEqual(changed.body)
    const [audited] = await platform.query<{ action: string; actor_id: string }>(
      `select action, actor_id from identity.audit_entry where organization_id = $1 and target_type = 'triage_config'`,
      [owner.organizationId],
    )
    expect(audited).toEqual({ action: 'triage_config.updated', actor_id: admin.userId })
    // Accounts without so much revenue get no case.
    const { id } = await riskyAccount()
    await scan()
    expect((await owner.rest.triageCaseList!({ query: { accountId: id } })).body.data).toEqual([])
    // Null restores the default.
    const restored = await set(admin, {
      minimumRevenue: null,
      weights: null,
      thresholds: { critical: null },
      notify: null,
    })()
    expect(restored.body).toMatchObject({
      weights: { silence: 0.5 },
      thresholds: { critical: 80, high: 60, medium: 40 },
      minimumRevenue: null,
      notify: { owner: true },
    })
  })

  it.each<[object, string]>([
    [{ thresholds: { high: 95 } }, 'thresholds.high OUT_OF_RANGE'],
    [{ thresholds: { medium: 61 } }, 'thresholds.medium OUT_OF_RANGE'],
    [{ autoResolveBelow: 41 }, 'autoResolveBelow OUT_OF_RANGE'],
    [{ scanSchedule: '* * * * *' }, 'scanSchedule OUT_OF_RANGE'],
    [{ scanSchedule: 'daily' }, 'scanSchedule WRONG_FORMAT'],
    [{ lookbackDays: 0 }, 'lookbackDays OUT_OF_RANGE'],
    [{ weights: { silence: 11 } }, 'weights.silence OUT_OF_RANGE'],
  ])('cannot be %j', async (body, problem) =>
    expect(await refusedInputs(platform, () => owner.rest.triageConfigUpdate!({ body }))).toEqual([
      400,
      'VALIDATION_FAILED',
      problem,
    ]),
  )

  it('that is off scans nothing', async () => {
    await owner.rest.triageConfigUpdate!({ body: { enabled: false } })
    expect(await refused(platform, () => owner.rest.triageScanRequest!({}))).toEqual([409, 'INVALID_STATE'])
    const { id } = await riskyAccount()
    platform.advanceClock(2 * dayMs)
    await triageScan.run(platform.services)
    expect((await owner.rest.triageCaseList!({ query: { accountId: id } })).body.data).toEqual([])
    await owner.rest.triageConfigUpdate!({ body: { enabled: true } })
  })
})
