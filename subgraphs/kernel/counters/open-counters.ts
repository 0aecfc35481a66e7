import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Counters } from './counters.ts'
import { MemoryCounters } from './memory-counters.ts'
import { RedisCounters } from './redis-counters.ts'

export async function openCounters(config: Pick<Config, 'redisUrl'>, log: Logger): Promise<Counters> {
  return config.redisUrl ? RedisCounters.open({ url: config.redisUrl, log }) : new MemoryCounters()
}
