import { describe, expect, it } from 'vitest'
import { queues } from './all.ts'
import { graceMs } from './kernel/queue/deadline.ts'

describe('every kind of queued item', () => {
  it('has a deadline with its grace shorter than its lease', () => {
    const seconds = Object.fromEntries(
      queues.map(({ name, attemptMsMax, leaseMs }) => [name, [attemptMsMax / 1000, leaseMs / 1000]]),
    )
    expect(seconds).toEqual({
      function_start: [45, 60],
      trigger_run: [35, 50],
      mail: [90, 120],
      bulk_run: [240, 260],
      webhook_delivery: [20, 30],
      outgoing_email: [90, 120],
      mailbox_poll: [240, 300],
      sequence_call: [20, 30],
      push: [45, 60],
      scenario_run: [90, 120],
      ai_run: [150, 180],
      workflow_run: [140, 160],
      flow_turn: [120, 140],
      document_run: [60, 90],
      duplicate_keys: [45, 60],
      field_change: [45, 60],
      lookup_clearing: [45, 60],
      deployment: [120, 140],
      detail_change: [70, 85],
      object_removal: [45, 60],
      webhook_recovery: [45, 60],
      merge_move: [45, 60],
      undo_run: [45, 60],
    })
    for (const { name, attemptMsMax, leaseMs } of queues) expect(attemptMsMax + graceMs, name).toBeLessThan(leaseMs)
  })
})
