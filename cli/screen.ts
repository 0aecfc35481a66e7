import { styleText } from 'node:util'
import * as prompts from '@clack/prompts'
import type { Environment } from './environment.ts'
import { exitCodes, usageFailure, type Failure } from './failure.ts'
import { plain, plainLine } from './plain.ts'

type Style = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold'

export interface Progress {
  /** How much of the whole is done, from 0 to 1, and what is shown beside it. */
  at(share: number, text: string): void
}

const steps = 1_000

/** Where a command shows what it does: results in stdout, everything else in stderr. */
export class Screen {
  readonly isJson: boolean
  /** Whether somebody can be asked. */
  readonly isInteractive: boolean
  readonly #hasColors: boolean
  #isAnimated = false

  constructor(environment: Environment, isJson: boolean) {
    this.isJson = isJson
    this.isInteractive = !isJson && process.stdin.isTTY && process.stderr.isTTY
    this.#hasColors = environment.hasColors && !isJson && process.stdout.isTTY
    // A reader such as `head` that has enough ends the program.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit(exitCodes.done)
    })
    process.stderr.on('error', () => undefined)
  }

  styled(style: Style, text: string): string {
    return this.#hasColors ? styleText(style, text, { validateStream: false }) : text
  }

  /** The result of a command, once: a JSON document with `--json`, otherwise lines for people. */
  result(value: unknown, lines: () => readonly string[]): void {
    if (this.isJson) this.#print(JSON.stringify(value, null, 2))
    else for (const line of lines()) this.#print(line)
  }

  /** One of many results: a line of JSON with `--json`, otherwise one for people. */
  item(value: unknown, line: () => string): void {
    this.#print(this.isJson ? JSON.stringify(value) : line())
  }

  /** Text that is no part of the result. */
  note(text: string): void {
    process.stderr.write(`${plain(text)}\n`)
  }

  #print(text: string): void {
    process.stdout.write(`${text}\n`)
  }

  failure(failure: Failure): void {
    const { code, message, errors, requestId } = failure
    if (this.isJson) {
      this.#print(JSON.stringify({ error: { code, message, errors, ...(requestId && { requestId }) } }, null, 2))
      return
    }
    const isError = process.stderr.isTTY && this.#hasColors
    const head = isError ? styleText('red', 'Error', { validateStream: false }) : 'Error'
    process.stderr.write(`${head} ${plainLine(code)}: ${plainLine(message)}\n`)
    for (const error of errors)
      if (error.message !== message || error.path !== '')
        process.stderr.write(
          `  ${plainLine(error.path || '(all)')}  ${plainLine(error.code)}  ${plainLine(error.message)}\n`,
        )
    if (requestId !== null) process.stderr.write(`  Request ${plainLine(requestId)}\n`)
  }

  /** Shows in a terminal that something takes time. */
  async during<T>(text: string, work: (say: (text: string) => void) => Promise<T>): Promise<T> {
    if (!this.#mayAnimate()) return work(() => undefined)
    const spinner = prompts.spinner({ output: process.stderr, withGuide: false })
    return this.#animated(spinner, text, () => work((said) => spinner.message(plainLine(said))))
  }

  /** Shows in a terminal how much of something is done. */
  async progress<T>(text: string, work: (progress: Progress) => Promise<T>): Promise<T> {
    if (!this.#mayAnimate()) return work({ at: () => undefined })
    const bar = prompts.progress({ output: process.stderr, withGuide: false, max: steps, size: 30 })
    let done = 0
    const at = (share: number, said: string): void => {
      const next = Math.max(done, Math.min(steps, Math.floor(share * steps)))
      bar.advance(next - done, plainLine(said))
      done = next
    }
    return this.#animated(bar, text, () => work({ at }))
  }

  /** One animation at a time: those that are begun meanwhile are not shown. */
  #mayAnimate(): boolean {
    return !this.isJson && process.stderr.isTTY && !this.#isAnimated
  }

  async #animated<T>(shown: prompts.SpinnerResult, text: string, work: () => Promise<T>): Promise<T> {
    this.#isAnimated = true
    // An animation ends the program with 0 when a key interrupts it.
    const interrupt = (): void => void (process.exitCode = 130)
    process.once('exit', interrupt)
    shown.start(plainLine(text))
    try {
      return await work()
    } finally {
      process.removeListener('exit', interrupt)
      shown.clear()
      this.#isAnimated = false
    }
  }

  async ask(message: string, initialValue = ''): Promise<string> {
    return this.#answered(
      await prompts.text({ message, initialValue, output: process.stderr, validate: (text) => required(text) }),
    )
  }

  async askSecret(message: string): Promise<string> {
    return this.#answered(
      await prompts.password({ message, output: process.stderr, validate: (text) => required(text) }),
    )
  }

  async confirm(message: string): Promise<boolean> {
    return this.#answered(await prompts.confirm({ message, initialValue: false, output: process.stderr }))
  }

  #answered<T>(answer: T): Exclude<T, symbol> {
    if (prompts.isCancel(answer)) throw usageFailure('Cancelled.')
    return answer as Exclude<T, symbol>
  }
}

const required = (text: string | undefined): string | undefined => (text?.trim() ? undefined : 'Enter something.')
