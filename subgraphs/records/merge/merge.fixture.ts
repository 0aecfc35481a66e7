import { drain } from '../../kernel/queue/queue.fixture.ts'
import type { Platform } from '../../../test/platform.ts'
import { mergeMoveQueue } from './merge-move.queue.ts'

/** Moves in the background what merges have left, and what was added to it meanwhile. */
export async function settleMerges(platform: Platform): Promise<void> {
  await platform.query(
    `update records.merge_move set created_at = created_at - interval '2 minutes', next_attempt_at = now(), is_due = true
     where state = 'QUEUED' and lease_token is null`,
  )
  const open = () => platform.query(`select from records.merge_move where state = 'QUEUED' limit 1`)
  while ((await open()).length > 0) await drain(mergeMoveQueue, platform.services)
}
