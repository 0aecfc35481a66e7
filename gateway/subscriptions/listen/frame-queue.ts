/** What a listener gets, one after another. */
export interface Frame {
  readonly frame: 'READY' | 'EVENT' | 'DROPPED' | 'END'
  readonly data: object
}

export type EndReason = 'TIME_LIMIT' | 'CREDENTIAL_ENDED' | 'SERVER_STOPPING' | 'SLOT_LOST'

/** Counts bytes against the limits of the process until the returned function is called; null when a limit would be exceeded. */
export type CountBytes = (bytes: number) => (() => void) | null

interface QueuedFrame {
  readonly frame: Frame
  readonly bytes: number
  readonly release: () => void
}

const noRelease = (): void => {}

/**
 * The frames that a listener has not read yet, limited in bytes. When it is full, events are skipped and counted until half of it is
 * read; the count is sent in their place.
 */
export class FrameQueue {
  #frames: QueuedFrame[] = []
  #bytes = 0
  #dropped = 0
  #end: Frame | null = null
  #resume: (() => void) | null = null

  constructor(
    private readonly bytesMax: number,
    private readonly count: CountBytes,
  ) {}

  get bytes(): number {
    return this.#bytes
  }

  /** Adds an event, or counts it as dropped. */
  offer(frame: Frame, bytes: number): void {
    if (this.#end) return
    const isFull =
      this.#frames.length > 0 && this.#bytes + bytes > (this.#dropped > 0 ? this.bytesMax / 2 : this.bytesMax)
    const release = isFull ? null : this.count(bytes)
    if (!release) {
      this.#dropped++
    } else {
      this.#pushDropped()
      this.#push({ frame, bytes, release })
    }
    this.#wake()
  }

  /** Skips the frames that were not read, and makes an `END` frame the last one. */
  end(reason: EndReason, details: object): void {
    if (this.#end) return
    this.#end = { frame: 'END', data: { reason, ...details } }
    this.#dropped += this.#frames.reduce((sum, { frame }) => sum + eventsIn(frame), 0)
    this.#clear()
    this.#wake()
  }

  /** The remaining frames are no longer needed. */
  close(): void {
    this.end('SERVER_STOPPING', {})
    this.#clear()
  }

  /** The next frame; null after the last one. Only one caller may wait at a time. */
  async next(): Promise<Frame | null> {
    for (;;) {
      const queued = this.#frames.shift()
      if (queued) {
        this.#bytes -= queued.bytes
        queued.release()
        return queued.frame
      }
      if (this.#dropped > 0) return this.#takeDropped()
      if (this.#end) return this.#isEnded ? null : this.#takeEnd(this.#end)
      await new Promise<void>((resolve) => (this.#resume = resolve))
      this.#resume = null
    }
  }

  #isEnded = false

  #takeEnd(end: Frame): Frame {
    this.#isEnded = true
    return end
  }

  #takeDropped(): Frame {
    const dropped = this.#dropped
    this.#dropped = 0
    return { frame: 'DROPPED', data: { count: dropped } }
  }

  #pushDropped(): void {
    if (this.#dropped > 0) this.#push({ frame: this.#takeDropped(), bytes: 0, release: noRelease })
  }

  #push(queued: QueuedFrame): void {
    this.#frames.push(queued)
    this.#bytes += queued.bytes
  }

  #clear(): void {
    for (const { release } of this.#frames) release()
    this.#frames = []
    this.#bytes = 0
  }

  #wake(): void {
    this.#resume?.()
  }
}

const eventsIn = ({ frame, data }: Frame): number => {
  if (frame === 'EVENT') return 1
  return frame === 'DROPPED' ? (data as { readonly count: number }).count : 0
}
