import { organizationSettings } from '../../identity/public.ts'
import { change } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { attachmentsOf } from '../email/email-checks.ts'
import { unscheduled } from './smart-email.actions.ts'
import type { SmartEmailDraft } from './smart-email-draft.ts'
import { smartEmailDraft } from './smart-email.record.ts'
import { requireEditable, requireStatus } from './smart-email.rules.ts'
import { scheduledTime, type WantedTime } from './schedule-time.ts'

/** Sets the time at which the mail of the draft is sent, or another one. Its files are sent with all rights of the owner, so the caller needs them. */
export async function scheduleDraft(
  ctx: RequestContext,
  id: string,
  wanted: WantedTime,
  expectedVersion: number | null,
): Promise<SmartEmailDraft> {
  const { timezone: zone = 'UTC' } = await organizationSettings(ctx)
  const time = scheduledTime(wanted, ctx.clock.now(), zone)
  return change(
    ctx,
    smartEmailDraft,
    id,
    async (previous, inner) => {
      await requireStatus(inner, previous, 'SCHEDULED')
      await attachmentsOf(inner, previous.fileIds)
      const implied = { ...time, status: 'SCHEDULED', nextAttemptAt: time.scheduledAt } as const
      return {
        operation: 'UPDATE',
        values: {},
        implied,
        events: ['smart_email_draft.scheduled'],
        isEventReplaced: true,
      }
    },
    { expectedVersion },
  )
}

/** Takes a scheduled draft back. */
export function unscheduleDraft(
  ctx: RequestContext,
  id: string,
  expectedVersion: number | null,
): Promise<SmartEmailDraft> {
  return change(
    ctx,
    smartEmailDraft,
    id,
    async (previous, inner) => {
      await requireEditable(inner, previous, ['SCHEDULED'])
      return {
        operation: 'UPDATE',
        values: {},
        implied: { status: 'DRAFT', ...unscheduled },
        events: ['smart_email_draft.unscheduled'],
        isEventReplaced: true,
      }
    },
    { expectedVersion },
  )
}
