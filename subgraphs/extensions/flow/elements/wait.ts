import { normalizeTimestamp } from '../../../kernel/record/scalars.ts'
import { waitMinutesMax } from '../bounds.ts'
import { ElementFailure, noConnectors, orOutput, problemAt, settings, text, type ElementType } from './element-type.ts'

const minuteMs = 60_000

export const wait: ElementType = {
  type: 'WAIT',
  schema: settings({
    minutes: orOutput({ type: 'integer', minimum: 1, maximum: waitMinutesMax }),
    until: text(2_000),
  }),
  connectors: noConnectors,
  scopes: () => [],
  problems({ config, path }) {
    if ((config['minutes'] === undefined) !== (config['until'] === undefined)) return []
    return [problemAt(path, 'REQUIRED', 'must have either minutes or until')]
  },
  run({ input, ctx }) {
    const { minutes, until } = input
    const now = ctx.clock.now().getTime()
    if (until === undefined) {
      if (!Number.isInteger(minutes) || (minutes as number) < 1 || (minutes as number) > waitMinutesMax)
        throw new ElementFailure('WRONG_VALUE', `minutes must be an integer from 1 to ${waitMinutesMax}.`)
      return { waitUntil: new Date(now + (minutes as number) * minuteMs) }
    }
    const time = typeof until === 'string' ? normalizeTimestamp(until) : null
    if (time === null) throw new ElementFailure('WRONG_VALUE', 'until is no time.')
    if (Date.parse(time) > now + waitMinutesMax * minuteMs)
      throw new ElementFailure('OUT_OF_RANGE', `until must be at most ${waitMinutesMax} minutes ahead.`)
    return { waitUntil: new Date(Date.parse(time)) }
  },
}
