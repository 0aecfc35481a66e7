import { expect, it } from 'vitest'
import { usePlatform } from '../../../../test/platform.ts'
import { newId } from '../../../kernel/ids.ts'
import { mayNotify } from './catalog.ts'

const platform = usePlatform()
const [actor, other] = [newId(), newId()]

it.each([
  ['an opportunity that its owner moves', 'opportunity.stage_changed', { ownerId: actor }, actor, false],
  ['an opportunity without an owner', 'opportunity.stage_changed', { ownerId: null }, actor, false],
  ['an opportunity that another one moves', 'opportunity.stage_changed', { ownerId: other }, actor, true],
  ['an opportunity that the platform moves', 'opportunity.stage_changed', { ownerId: other }, null, true],
  ['an event that may concern users outside its record', 'case.escalated', { ownerId: actor }, actor, true],
])('the condition of notifications: %s', async (_, type, record, actorId, isNeeded) => {
  const [row] = await platform.query<{ isNeeded: boolean }>(
    `select coalesce((${mayNotify}), false) as "isNeeded"
     from (select $1::text as type, $2::jsonb as data, $3::uuid as actor_id) e`,
    [type, JSON.stringify({ record }), actorId],
  )
  expect(row!.isNeeded).toBe(isNeeded)
})
