import type { RequestContext } from '../request.ts'
import { organizationZone } from '../time/days.ts'
import { setFormulas } from './computed-values.ts'
import type { RecordDefinition, StoredRow } from './definition.ts'

/** Sets the values of the next version that follow from the others. */
export async function calculate<T extends StoredRow>(
  ctx: RequestContext,
  { calculated, calculatesDays, columns }: RecordDefinition<T>,
  next: T,
  previous: T | null,
  given: Partial<T>,
): Promise<void> {
  if (calculated) {
    const zone = calculatesDays?.(next) ? await organizationZone(ctx) : 'UTC'
    Object.assign(next, calculated(next, previous, given, zone))
  }
  setFormulas(columns, next)
}
