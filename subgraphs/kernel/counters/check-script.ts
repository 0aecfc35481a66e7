import { defineScript } from 'redis'
import type { CommandParser } from 'redis'
import type { CounterCheck } from './counters.ts'

/**
 * Applies checks in order and stops after the first one whose hits do not fit, as `decide` does. ARGV: the time, then for each check its
 * hits and its number of limits, then for each limit its maximum and the length of its window. KEYS: one window for each limit.
 * Returns start and hits of each window before the check (start -1: not open), of the applied checks only.
 */
const checkScript = `
local now = tonumber(ARGV[1])
local found = {}
local keys, args = 0, 1 -- the number of KEYS and ARGV before the current check
while args < #ARGV do
  local hits, limits = tonumber(ARGV[args + 1]), tonumber(ARGV[args + 2])
  local allowed = true
  for i = 1, limits do
    local max, length = tonumber(ARGV[args + 2 * i + 1]), tonumber(ARGV[args + 2 * i + 2])
    local window = redis.call('HMGET', KEYS[keys + i], 'start', 'hits')
    local start, counted = tonumber(window[1] or ''), tonumber(window[2] or '')
    if not start or now >= start + length then start, counted = -1, 0 end
    if counted + math.max(hits, 1) > max then allowed = false end
    found[2 * (keys + i) - 1], found[2 * (keys + i)] = start, counted
  end
  if not allowed then break end
  for i = 1, hits > 0 and limits or 0 do
    local key, isOpen = KEYS[keys + i], found[2 * (keys + i) - 1] >= 0
    if isOpen then
      redis.call('HINCRBY', key, 'hits', hits)
    else
      redis.call('HSET', key, 'start', ARGV[1], 'hits', hits)
      redis.call('PEXPIRE', key, ARGV[args + 2 * i + 2])
    end
  end
  keys, args = keys + limits, args + 2 + 2 * limits
end
return found
`

/** The Redis command `applyChecks`. */
export const applyChecks = defineScript({
  SCRIPT: checkScript,
  parseCommand(parser: CommandParser, checks: readonly CounterCheck[], nowMs: number) {
    const keys: string[] = []
    const values = [String(nowMs)]
    for (const { space, key, limits, hits } of checks) {
      values.push(String(hits), String(limits.length))
      for (const { max, windowMs } of limits) {
        // The braces (hash tag) keep all windows in one slot, because a script may only use keys of one slot.
        keys.push(`{count}:${space}:${key}:${windowMs}`)
        values.push(String(max), String(windowMs))
      }
    }
    parser.pushKeysLength(keys)
    parser.push(...values)
  },
  transformReply: (reply: unknown) => reply as number[],
})
