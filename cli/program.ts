import { Command, InvalidArgumentError, Option } from 'commander'
import { bulkExport, type ExportOptions } from './commands/bulk-export.ts'
import { bulkImport, type ImportOptions } from './commands/bulk-import.ts'
import { deploy, type DeployOptions } from './commands/deploy.ts'
import { diff } from './commands/diff.ts'
import { init } from './commands/init.ts'
import { listen, trigger } from './commands/listen.ts'
import { login, logout, whoami } from './commands/login.ts'
import { functionLogs, workflowLogs } from './commands/logs.ts'
import { query } from './commands/query.ts'
import { retrieve } from './commands/retrieve.ts'
import { test } from './commands/test.ts'
import type { Context } from './context.ts'

function integer(most: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < 1 || value > most) throw new InvalidArgumentError(`It must be 1 to ${most}.`)
    return value
  }
}

/** `a,b` and `a b`, and both repeatedly. */
const list = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(',').filter((item) => item !== ''),
]

const afterHelp = `
Servers and keys:
  crm login keeps a key in the configuration folder, readable for you alone. In scripts, CRM_URL and CRM_API_KEY are used in its place.

Exit codes:
  0 done   1 refused, or tests failed   2 wrong use   3 the credential   4 the server was not reached, or has failed`

/** The command line. `contextOf` is called by a command when it begins. */
export function programOf(version: string, contextOf: (options: { url?: string }) => Context): Command {
  const program = new Command('crm')
    .description('Develop and operate an organization of the CRM platform from a terminal or a script.')
    .version(version)
    .option('--url <url>', 'the server; otherwise CRM_URL, or that of the last login')
    .option('--json', 'print results as JSON, and never ask')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', afterHelp)
  const context = (): Context => contextOf(program.opts())
  addProject(program, context)
  addEvents(program, context)
  addRecords(program, context)
  return program
}

type ContextOf = () => Context

function addProject(program: Command, context: ContextOf): void {
  program
    .command('login')
    .description('check an API key and keep it; in a pipe, the key is read from the standard input')
    .action(() => login(context()))
  program
    .command('logout')
    .description('forget the key of a server')
    .action(() => logout(context()))
  program
    .command('whoami')
    .description('show for whom the commands act')
    .action(() => whoami(context()))
  program
    .command('init')
    .description('make an empty project')
    .argument('[folder]', 'where; it is made if it does not exist', '.')
    .option('--name <name>', 'name of the project; otherwise that of the folder')
    .action((folder: string, options: object) => init(context(), folder, options))
  program
    .command('retrieve')
    .description('write what the organization has into the project')
    .option('--types <types...>', 'only components of these types, such as CUSTOM_OBJECT', list)
    .option('--component <type:name...>', 'only these components, such as CUSTOM_FIELD:ACCOUNT.tier', list)
    .option('--force', 'write over files that differ')
    .action((options: object) => retrieve(context(), options))
  program
    .command('deploy')
    .description('deploy the project, and wait for the end')
    .option('--check', 'only check what would happen')
    .option('--allow-destructive', 'delete what destructiveChanges.json names')
    .option('--expected-version <version>', 'refuse if the organization has another version')
    .option(
      '--tests <tests...>',
      'run tests first, and deploy only if they pass: none, all, or names such as grade or grade/best',
      list,
    )
    .action((options: DeployOptions) => deploy(context(), options))
  program
    .command('test')
    .description('run the tests of the functions of the project, which change nothing')
    .argument('[functions...]', 'only these functions or tests, such as grade or grade/best')
    .action((functions: readonly string[]) => test(context(), functions))
  program
    .command('diff')
    .description('compare the project with the organization')
    .option('--exit-code', 'end with 1 if there are differences')
    .action((options: object) => diff(context(), options))
}

function addEvents(program: Command, context: ContextOf): void {
  program
    .command('listen')
    .description('show events as they happen, and forward them to a URL as signed webhooks')
    .option('--events <types...>', 'only these types, or wildcards such as lead.*', list)
    .option('--forward-to <url>', 'where to send them, such as http://127.0.0.1:3000/webhooks')
    .option('--count <number>', 'end after this number of events', integer(1_000_000))
    .action((options: object) => listen(context(), options))
  program
    .command('trigger')
    .description('send the sample of an event type to the live streams')
    .argument('<type>', 'event type, such as lead.created')
    .action((type: string) => trigger(context(), type))
  const logs = program.command('logs').description('show what functions and workflows have done')
  const withOptions = (command: Command): Command =>
    command
      .option('-f, --follow', 'go on with what comes')
      .option('--status <status>', 'only those that ended so, such as FAILED')
      .addOption(new Option('--limit <number>', 'how many').argParser(integer(100)).default(20))
  withOptions(logs.command('function').argument('<name>', 'apiName or id'))
    .description('show the invocations of a function with what it has logged')
    .action((name: string, options: { limit: number }) => functionLogs(context(), name, options))
  withOptions(logs.command('workflow').argument('[name]', 'name or id; otherwise all of them'))
    .description('show the runs of workflows with their steps')
    .action((name: string | undefined, options: { limit: number }) => workflowLogs(context(), name, options))
}

function addRecords(program: Command, context: ContextOf): void {
  program
    .command('query')
    .description('send a GraphQL operation, from the argument, a file or the standard input')
    .argument('[query]', "such as '{ accountList(limit: 3) { data { name } } }'; - is the standard input")
    .option('--file <path>', 'read it from a file')
    .option('--variables <json>', 'its variables, as a JSON object')
    .action((given: string | undefined, options: object) => query(context(), given, options))
  const bulk = program.command('bulk').description('load and export many records')
  bulk
    .command('import')
    .description('load a file of CSV or NDJSON into the records of one type')
    .argument('<file>')
    .requiredOption('--object <type>', 'record type, such as account or custom:site_visit')
    .addOption(
      new Option('--operation <operation>', 'what to do with the rows')
        .choices(['INSERT', 'UPDATE', 'UPSERT', 'DELETE'])
        .default('INSERT'),
    )
    .option('--key <field>', 'by what records are found: id, externalId or a unique custom field', 'id')
    .addOption(new Option('--format <format>', 'otherwise by the name of the file').choices(['csv', 'ndjson']))
    .option('--failures <file>', 'where to write the rows that failed')
    .option('--dry-run', 'write nothing, and say what would happen')
    .option('--all-or-none', 'write all rows or none, at most 50,000')
    .addOption(new Option('--events <events>', 'events that others get').choices(['EACH', 'SUMMARY', 'NONE']))
    .addOption(
      new Option('--duplicates <strategy>', 'what becomes of rows that rules find to be duplicates').choices([
        'ALLOW',
        'SKIP',
        'UPDATE',
        'FAIL',
      ]),
    )
    .option('--options <json>', 'further options of the job, as a JSON object')
    .action((file: string, options: ImportOptions) => bulkImport(context(), file, options))
  bulk
    .command('export')
    .description('write the records of one type to a file of CSV or NDJSON')
    .requiredOption('--object <type>', 'record type, such as account or custom:site_visit')
    .option('--fields <fields...>', 'only these, in this order, such as id,name,customFields.tier', list)
    .option('--filter <json>', 'only the records that it finds: a JSON object as the list has its filter')
    .option('--search <text>', 'only the records with this text')
    .option('--order-by <fields...>', 'such as name:ASC,createdAt; descending unless :ASC', list)
    .addOption(new Option('--format <format>', 'otherwise by the name of the file, or csv').choices(['csv', 'ndjson']))
    .option('--output <file>', 'where to write them, also over a file; - is the standard output; otherwise a new file')
    .option('--options <json>', 'further options of the job, as a JSON object')
    .action((options: ExportOptions) => bulkExport(context(), options))
}
