import { existsSync } from 'node:fs'
import { chromium as playwright, type Browser } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

export interface Chromium {
  /** Null if no browser is installed; `explanation` then says what to install. */
  readonly executablePath: string | null
  readonly explanation: string
  launch(): Promise<Browser>
}

/** The installed Chromium, started headless; it can resolve no host name except localhost. */
export function chromium(): Chromium {
  const executablePath = places.find((path) => existsSync(path)) ?? null
  const explanation = executablePath
    ? `Chromium is ${executablePath}.`
    : `Skipped: no Chromium is installed (looked for ${places.join(', ')}). On Debian: apt-get install chromium.`
  return {
    executablePath,
    explanation,
    launch: () => {
      if (!executablePath) throw new Error(explanation)
      return playwright.launch({
        executablePath,
        chromiumSandbox: false,
        args: [
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
        ],
      })
    },
  }
}
