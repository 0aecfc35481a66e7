import { Listener } from '../database/listen.ts'
import type { Services } from '../request.ts'
import { deliverMail } from './deliver-mail.ts'

/** Sends mail as soon as the transaction that asked for it has committed. Belongs to every process that works on jobs. */
export class MailDelivery {
  readonly #services: Services
  #listener: Listener | null = null
  #running: Promise<void> | null = null
  #isWanted = false

  private constructor(services: Services) {
    this.#services = services
  }

  static async start(services: Services, databaseUrl: string): Promise<MailDelivery> {
    const delivery = new MailDelivery(services)
    delivery.#listener = await Listener.open(databaseUrl, 'mail_queued', () => delivery.#wake(), services.log)
    return delivery
  }

  /** Sends nothing more, and lets what is being sent finish. */
  async close(): Promise<void> {
    await this.#listener?.close()
    this.#isWanted = false
    await this.#running
  }

  #wake(): void {
    this.#isWanted = true
    this.#running ??= this.#deliver().finally(() => (this.#running = null))
  }

  async #deliver(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false
      // What fails here is found again by the job of the minute.
      await deliverMail(this.#services).catch((error: unknown) =>
        this.#services.log.warn({ err: error }, 'queued mail was not looked after'),
      )
    }
  }
}
