import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import { joinEmbeddedPostgres } from '../../subgraphs/kernel/database/embedded-join.ts'
import { CountingReceiver, prepared, rounds, slowMs } from './webhook-faults.ts'
import { aMain, expectAgain, expectAllDelivered, killWhileDelivering, report } from './webhook-kills.ts'
import { Load, subscribe } from './webhook-load.ts'

const kills = rounds === 1 ? 1 : 2 * rounds

it(
  'kill -9 of the process that runs everything, with the embedded database: events delivered equal records committed, and those under way come again within 60 s',
  { timeout: slowMs },
  async () => {
    const { environment, secret } = await prepared(null)
    const [main, receiver] = [await aMain(environment), await CountingReceiver.open()]
    await main.start()
    await subscribe(main.url, secret, receiver)
    const load = new Load(main.url, secret, receiver)
    const interrupted = await killWhileDelivering(main, receiver, kills)
    await load.stop()
    const joined = await joinEmbeddedPostgres({ dataDir: environment['DATA_DIR']!, log: pino({ level: 'silent' }) })
    const database = new Database({ url: joined.url, connectionsMax: 2 })
    onTestFinished(() => database.close())
    await expectAllDelivered(database, receiver, load)
    expect([...load.outcomes.keys()]).toEqual(expect.arrayContaining(['201', '409', 'no answer']))
    report(`${kills} kills of the process that runs everything`, load, expectAgain(receiver, interrupted))
    expect(await main.stop()).toBe(0)
  },
)
