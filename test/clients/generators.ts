import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const require = createRequire(import.meta.url)
const run = promisify(execFile)

/** The folder of an installed package. */
function packageFolder(name: string): string {
  const folder = require.resolve
    .paths(name)!
    .map((path) => join(path, name))
    .find((path) => existsSync(path))
  if (!folder) throw new Error(`The package ${name} must be installed.`)
  return folder
}

const compilerOptions = {
  noEmit: true,
  strict: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
}

/** A folder in which generators write code; it is below this one, so that the code finds the installed packages. */
export class GeneratedFolder {
  private constructor(readonly path: string) {}

  static async create(): Promise<GeneratedFolder> {
    await mkdir(join(here, '.generated'), { recursive: true })
    return new GeneratedFolder(await mkdtemp(join(here, '.generated', 'run-')))
  }

  remove = (): Promise<void> => rm(this.path, { recursive: true, force: true })

  read = (name: string): Promise<string> => readFile(join(this.path, name), 'utf8')

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.path, name)), { recursive: true })
    await writeFile(join(this.path, name), text)
  }

  /** Runs the command of a package as its users do; a second time if it fails, because Vitest repeats tests, but not what comes before them. */
  async generate(packageName: string, bin: string, args: readonly string[], nodeOptions = ''): Promise<void> {
    const folder = packageFolder(packageName)
    const { bin: bins } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      bin: string | Record<string, string>
    }
    const script = typeof bins === 'string' ? bins : bins[bin]!
    const env = { ...process.env, NODE_OPTIONS: nodeOptions }
    const generate = () => run(process.execPath, [join(folder, script), ...args], { cwd: this.path, env })
    await generate().catch((error: Error & { readonly stdout?: string }) => {
      console.warn(`${bin} failed and is run again: ${error.message}\n${error.stdout ?? ''}`)
      return generate()
    })
  }

  /** Compiles the files strictly, with the TypeScript release that most users have, and returns the problems. */
  async problems(...files: string[]): Promise<string> {
    await this.write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
    const compiler = join(packageFolder('typescript'), 'lib/tsc.js')
    return run(process.execPath, [compiler, '-p', '.'], { cwd: this.path }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
  }

  /** Loads generated code. */
  load = <T>(name: string): Promise<T> => import(/* @vite-ignore */ join(this.path, name)) as Promise<T>
}

/** A Node option that gives a generator TypeScript 5, whatever else is installed. */
export const withTypeScript5 = `--import ${pathToFileURL(join(here, 'typescript-5.mjs')).href}`
