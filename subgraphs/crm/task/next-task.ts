import type { FieldProblem } from '../../kernel/errors.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { unrestricted, type RequestContext } from '../../kernel/request.ts'
import { knowingRelated, linkedTypes, links, relatedShape } from '../related-record/related-types.ts'
import { movedWith, nextOccurrence } from './recurrence.ts'
import { recurrenceZone } from './recurrence-zone.ts'
import type { Task } from './task.ts'

/**
 * Creates the next task of the series of a task that is being completed, as the caller, with the same owner, assignee and related
 * records. It does not depend on what the caller may see or write, because the caller chose none of its values. A user or record that no
 * longer exists is left out.
 */
export async function createNextTask(
  ctx: RequestContext,
  definition: RecordDefinition<Task>,
  completed: Task,
): Promise<FieldProblem[]> {
  const { nextTaskId, recurrenceRule, dueDate } = completed
  const zone = await recurrenceZone(ctx, completed.assignedToId)
  const occurrence = nextOccurrence(recurrenceRule!, dueDate!, zone)
  if (!nextTaskId || !occurrence) return []
  const platform = unrestricted(ctx)
  const later = (time: string | null) => time && movedWith(time, dueDate!, occurrence.dueDate, zone)
  const { subject, description, type, priority, startDate, reminderAt, source, tags, metadata } = completed
  await recordsOf(definition).create(platform, {
    id: nextTaskId,
    subject,
    description,
    type,
    priority,
    source,
    tags,
    metadata,
    customFields: completed.customFields,
    dueDate: occurrence.dueDate,
    startDate: later(startDate),
    reminderAt: later(reminderAt),
    recurrenceRule: occurrence.rule,
    ...(await existing(platform, definition, completed)),
  })
  return []
}

/** The users and records of the completed task that still exist. */
async function existing(
  ctx: RequestContext,
  { references = {} }: RecordDefinition<Task>,
  completed: Task,
): Promise<Partial<Task>> {
  const kept: Record<string, unknown> = {}
  for (const name of ['ownerId', 'assignedToId'] as const) {
    const id = completed[name]
    if (id !== null && (await references[name]!(ctx, [id])).has(id)) kept[name] = id
  }
  const { relatedToType, relatedToId } = completed
  const current = relatedToType === null ? ctx : await knowingRelated(ctx, relatedToType)
  const related = relatedToType && relatedShape(current, relatedToType)
  const isRelated = related && relatedToId && (await visibleIds(current, related, [relatedToId])).has(relatedToId)
  if (isRelated) Object.assign(kept, { relatedToType, relatedToId })
  for (const link of links) {
    const id = completed[link]
    const shape = recordNamed(linkedTypes[link])
    if (id !== null && (!shape || (await visibleIds(ctx, shape, [id])).has(id))) kept[link] = id
  }
  return kept
}
