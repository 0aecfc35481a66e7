import { normalizeTimestamp } from '../../../kernel/record/scalars.ts'
import { delayMinutesMax } from '../bounds.ts'
import { failed, orOutput, problemAt, settings, text, type StepType } from './step-type.ts'

const minuteMs = 60_000

export const delay: StepType = {
  type: 'DELAY',
  schema: settings({
    minutes: orOutput({ type: 'integer', minimum: 1, maximum: delayMinutesMax }),
    until: text(2_000),
  }),
  scopes: () => [],
  isRepeatable: () => true,
  problems({ config, path }) {
    if ((config['minutes'] === undefined) !== (config['until'] === undefined)) return []
    return [problemAt(path, 'REQUIRED', 'must have either minutes or until')]
  },
  run({ input, services }) {
    const { minutes, until } = input
    const now = services.clock.now().getTime()
    if (until !== undefined) {
      const time = typeof until === 'string' ? normalizeTimestamp(until) : null
      if (time === null) return failed('WRONG_VALUE', 'until is no time.')
      return { waitUntil: new Date(Math.min(Date.parse(time), now + delayMinutesMax * minuteMs)) }
    }
    if (!Number.isInteger(minutes) || (minutes as number) < 0 || (minutes as number) > delayMinutesMax)
      return failed('WRONG_VALUE', `minutes must be an integer from 0 to ${delayMinutesMax}.`)
    return { waitUntil: new Date(now + (minutes as number) * minuteMs) }
  },
}
