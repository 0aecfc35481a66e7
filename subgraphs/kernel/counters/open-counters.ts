import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Counters } from './counters.ts'
import { MemoryCounters } from './memory-counters.ts'

export async function openCounters(config: Pick<Config, 'redisUrl'>, log: Logger): Promise<Counters> {
  if (!config.redisUrl) return new MemoryCounters()
  // Imported only here, because the client for Redis takes 7 MB of memory.
  const { RedisCounters } = await import('./redis-counters.ts')
  return RedisCounters.open({ url: config.redisUrl, log })
}
