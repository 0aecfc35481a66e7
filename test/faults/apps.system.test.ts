import { beforeAll, describe, expect, it, vi } from 'vitest'
import { Apps, packaged } from '../extensions/apps.fixture.ts'
import { settleFieldChanges } from '../extensions/field-changes.fixture.ts'
import { deploymentOf } from '../metadata/metadata.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'
import { aWorker, patience } from './killed-worker.ts'

const platform = usePlatform()
const apps = new Apps(platform)
const fields = 200
let publisher: Member
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  publisher = await platform.member({ organizationId: await platform.organization('Publisher'), role: 'OWNER' })
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

/** Fields whose names begin with a letter. */
const fieldsOf = (letter: string) =>
  Object.fromEntries(
    Array.from({ length: fields }, (_, index) => {
      const name = `${letter}${index}`
      const content = { entity: 'ACCOUNT', name, label: 'Field', fieldType: 'TEXT', sortOrder: index }
      return [`fields/ACCOUNT.${name}.field.json`, content]
    }),
  )

/** The live fields by their first letters, and the events of the app. */
const state = async () => {
  const { organizationId } = owner
  const live = await platform.query<{ letter: string; n: number }>(
    `select left(name, 1) as letter, count(*)::int as n from extensions.field_definition
     where organization_id = $1 and deleted_at is null group by 1 order by 1`,
    [organizationId],
  )
  const told = await platform.query<{ type: string }>(
    `select type from kernel.event where organization_id = $1 and type like 'app.%' order by id`,
    [organizationId],
  )
  const installed = await apps.list(owner)
  return {
    fields: Object.fromEntries(live.map(({ letter, n }) => [letter, n])),
    events: told.map(({ type }) => type),
    apps: installed.map(({ status, appVersion }) => [status, appVersion]),
  }
}

describe('a worker that is killed while it installs, updates and removes an app', { timeout: 300_000 }, () => {
  /** Kills the worker twice in the middle of the deployment; the third one ends it. */
  async function despiteKills({ body }: Answer): Promise<void> {
    const id = body['deploymentId'] as string
    const before = await state()
    const worker = await aWorker(platform)
    for (const isLast of [false, false, true]) {
      // A dead process keeps its lease for minutes.
      await platform.query(
        `update extensions.deployment set next_attempt_at = now(), status = 'PENDING' where lease_token is not null and state = 'QUEUED'`,
      )
      await worker.start('metadata.forgetDeployments')
      await vi.waitFor(async () => {
        const { status, problems } = await deploymentOf(owner, id)
        expect([status, problems]).toEqual([isLast ? 'SUCCEEDED' : 'DEPLOYING', []])
      }, patience)
      await worker.kill()
      if (!isLast) expect(await state()).toEqual(before)
    }
  }

  it('leaves the former state, and the next one changes everything once', async () => {
    await apps.publish(publisher, packaged(fieldsOf('a'), { scopes: [] }))
    const installing = await apps.install(owner, { scopes: [] })
    await despiteKills(installing)
    expect(await state()).toEqual({ fields: { a: fields }, events: ['app.installed'], apps: [['INSTALLED', '1.0.0']] })

    await apps.publish(publisher, packaged(fieldsOf('b'), { scopes: [], version: '2.0.0' }))
    const id = installing.body['id'] as string
    // Fields are not deleted while they are being built.
    await settleFieldChanges(platform)
    await despiteKills(await apps.update(owner, id, { appVersion: '2.0.0' }))
    const events = ['app.installed', 'app.updated']
    expect(await state()).toEqual({ fields: { b: fields }, events, apps: [['INSTALLED', '2.0.0']] })

    await settleFieldChanges(platform)
    await despiteKills(await apps.uninstall(owner, id))
    expect(await state()).toEqual({ fields: {}, events: [...events, 'app.uninstalled'], apps: [] })
  })
})
