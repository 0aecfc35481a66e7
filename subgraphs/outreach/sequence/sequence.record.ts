import { activeUsers } from '../../identity/public.ts'
import { newId } from '../../kernel/ids.ts'
import { registerFieldUse } from '../../kernel/extension/field-uses.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { emailTemplate } from '../email-template/email-template.record.ts'
import { sequenceEvents, sequenceStepEvents } from './sequence.events.ts'
import { requireNotArchived, sequenceProblems, sequenceStates } from './sequence.rules.ts'
import type { SequenceSettings } from './sequence-settings.ts'
import { SequenceStep } from './sequence-step.ts'
import { Sequence } from './sequence.ts'
import { stepProblems, stepTemplateProblems } from './step.rules.ts'

export const sequence: RecordDefinition<Sequence> = defineRecord(Sequence, {
  object: 'sequence',
  table: 'outreach.sequence',
  visibleBy: ['ownerId'],
  searchable: ['name', 'description'],
  hasSearchText: true,
  references: { ownerId: activeUsers },
  events: sequenceEvents,
  states: sequenceStates,
  async decide(ctx, { entityTypes, settings }, previous) {
    if (previous) await requireNotArchived(ctx, previous)
    if (previous) return {}
    return {
      implied: {
        entityTypes: entityTypes ?? ['LEAD', 'CONTACT'],
        settings: settings ?? ({} as SequenceSettings),
      },
    }
  },
  invariants: sequenceProblems,
})

export const sequenceStep: RecordDefinition<SequenceStep> = defineRecord(SequenceStep, {
  object: 'sequence_step',
  table: 'outreach.sequence_step',
  visibleBy: [],
  visibleThrough: { by: 'sequenceId', to: () => sequence },
  searchable: [],
  references: {
    ownerId: activeUsers,
    templateId: (ctx, ids) => visibleIds(ctx, emailTemplate, ids),
  },
  events: sequenceStepEvents,
  calculated: ({ variants }) => ({ variants: variants.map((variant) => ({ ...variant, id: variant.id ?? newId() })) }),
  invariants: stepProblems,
  checks: stepTemplateProblems,
})

registerFieldUse({
  user: 'sequence',
  sql: String.raw`select s.id, s.name from outreach.sequence s where s.organization_id = $1 and s.deleted_at is null and exists (
        select from outreach.sequence_step p where p.organization_id = s.organization_id and p.sequence_id = s.id and p.deleted_at is null
          and (concat_ws(' ', p.subject, p.body_html, p.body_text, p.variants, p.task) ~ ($2::text || '\.' || $3)
            or upper($2) = any(s.entity_types) and p.condition::text ~ $3))
      order by s.name, s.id`,
})
