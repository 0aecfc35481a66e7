import type { Sql } from '../database/sql.ts'
import { Refusal } from '../errors.ts'
import type { Clock } from '../time/clock.ts'

/** Whether a full organization has room again is looked up at most so often. */
const lookAgainMs = 60_000
const fullMax = 10_000

/**
 * What organizations keep in total: the bytes at the last measurement, and all that were written since. The sum is more than what is kept, because
 * some of it replaced other rows, so `measureKeptBytes` measures an organization again before its limit is reached.
 */
export class KeptBytes {
  /** Organizations without room, and when that is looked up again. */
  readonly #fullUntilMs = new Map<string, number>()

  /** The connection must be none of those that transactions use, because their bytes are counted while they are open. */
  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    private readonly bytesMax: number | null,
  ) {}

  async add(organizationId: string, bytes: number): Promise<void> {
    const [row] = await this.sql.query<{ bytes: number }>(
      `insert into kernel.stored_bytes as s (organization_id, written) values ($1, $2)
       on conflict (organization_id) do update set written = s.written + excluded.written returning measured + written as bytes`,
      [organizationId, bytes],
    )
    this.#note(organizationId, row!.bytes)
  }

  isFull(organizationId: string): boolean {
    return this.#fullUntilMs.has(organizationId)
  }

  /** Throws `STORAGE_LIMIT_EXCEEDED` if the organization has no room. Organizations that were not full need no statement. */
  refuseIfFull(organizationId: string): void | Promise<void> {
    const untilMs = this.#fullUntilMs.get(organizationId)
    if (untilMs === undefined) return
    if (untilMs > this.clock.now().getTime()) throw this.#refusal()
    return this.#lookAgain(organizationId)
  }

  async #lookAgain(organizationId: string): Promise<void> {
    const [row] = await this.sql.query<{ bytes: number }>(
      'select measured + written as bytes from kernel.stored_bytes where organization_id = $1',
      [organizationId],
    )
    this.#note(organizationId, row?.bytes ?? 0)
    if (this.isFull(organizationId)) throw this.#refusal()
  }

  #note(organizationId: string, bytes: number): void {
    if (this.bytesMax === null || bytes <= this.bytesMax) {
      this.#fullUntilMs.delete(organizationId)
      return
    }
    if (this.#fullUntilMs.size >= fullMax) this.#fullUntilMs.clear()
    this.#fullUntilMs.set(organizationId, this.clock.now().getTime() + lookAgainMs)
  }

  #refusal(): Refusal {
    const megabytes = Math.floor(this.bytesMax! / 1_048_576).toLocaleString('en')
    const message = `The organization stores as much as it may: ${megabytes} MB. Nothing further can be written until the operator of the platform raises the limit or old events are dropped.`
    return new Refusal('STORAGE_LIMIT_EXCEEDED', message, { limitBytes: this.bytesMax })
  }
}
