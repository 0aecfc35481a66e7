import { readFile } from 'node:fs/promises'
import { CommanderError, type Command } from 'commander'
import type { Context } from './context.ts'
import { environmentOf } from './environment.ts'
import { Failure, ShownFailure, exitCodes, usageFailure } from './failure.ts'
import { programOf } from './program.ts'
import { Screen } from './screen.ts'

/** Beside the sources, and one folder higher in what is built. */
async function packageVersion(): Promise<string> {
  for (const path of ['../package.json', '../../package.json']) {
    const text = await readFile(new URL(path, import.meta.url), 'utf8').catch(() => null)
    if (text !== null) return (JSON.parse(text) as { version: string }).version
  }
  return '0'
}

/** Commands end by exceptions, so that one place sets the exit code. */
function throwing(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => undefined })
  for (const child of command.commands) throwing(child)
}

function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error
  if (!(error instanceof CommanderError)) {
    const { code, message } = error as NodeJS.ErrnoException
    // What the system refuses, such as a file without the right to read it.
    return new Failure('refused', code ?? 'DEFECT', message)
  }
  if (error.exitCode === 0) return null
  // Without a command the help is shown instead.
  if (error.code === 'commander.help') return new ShownFailure('usage', 'USAGE', 'Name a command.')
  return usageFailure(error.message.replace(/^error: /, ''))
}

async function main(): Promise<void> {
  const isJson = process.argv.includes('--json')
  const environment = environmentOf()
  const screen = new Screen(environment, isJson)
  const version = await packageVersion()
  const contextOf = ({ url = null }: { url?: string | null }): Context => ({ screen, environment, url, version })
  const program = programOf(version, contextOf)
  throwing(program)
  try {
    await program.parseAsync()
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) return
    if (!(failure instanceof ShownFailure)) screen.failure(failure)
    process.exitCode = exitCodes[failure.outcome]
  }
}

await main()
