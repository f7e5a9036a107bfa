import type { TransportRequest } from '../../kube/transport.ts';
import { Deeds } from './deeds.ts';
import type { Finding } from './findings.ts';
import { differencesFromFresh } from './fresh-service.ts';
import { IdleWrites } from './idle-writes.ts';
import { Leadership } from './leadership.ts';
import type { PlannedRival } from './network.ts';
import { Quiet, QUIET_MS } from './quiet.ts';
import type { Replica } from './replica.ts';
import { isOfContent, Safety, type WriteCounts } from './safety.ts';
import { calmFromMs, mayChangeHands, type Plan, postponed, type Scenario } from './scenario.ts';
import type { Setting } from './setting.ts';
import { planTimedFaults } from './timed-faults.ts';
import { MOST_STEPS_A_SECOND } from './timeline.ts';
import { World } from './world.ts';

/** What one simulation came to. */
export interface Report {
  readonly scenario: Scenario;
  readonly findings: readonly Finding[];
  /** The same for two simulations that went the same way, and no others. */
  readonly hash: string;
  /** As a person reads it; empty where every promise was kept and nobody asked for it. */
  readonly trace: readonly string[];
  readonly counts: WriteCounts;
  /** Virtual time that passed, and tasks that ran. */
  readonly virtualMs: number;
  readonly steps: number;
  /** Processes of the service that were started before all was calm. */
  readonly lives: number;
}

/** What is tried again on its own is tried again within this time: a terminal outcome after 10 min, a tenth more or less. */
const BOUND_MS = 12 * 60_000;

/** At the end of a bound, what nobody has to wait for may be under way for so long. */
const LAST_QUIET_MS = 60_000;

/** A change of which nothing keeps the service is there within this time: no resync and no look from time to time makes up for it. */
const PROMPT_MS = 60_000;

/** How long a cluster at rest is watched for writes in every scenario, and in one of so many. */
const SILENCE_MS = 2000;
const LONG_SILENCE_MS = 25 * 60_000;
const LONG_SILENCES = 200;

const RUNAWAY = `more than ${MOST_STEPS_A_SECOND} things happen within one second, and time hardly goes on`;

/** Where a cluster at rest is what a scenario begins with, it is watched for writes for so long before something happens. */
const BEGIN_MS = 1000;

/** Objects of two moments that are made alike have one uid, so that what a fresh service makes of them has to be found out once. */
const MOMENT_UIDS = 0x5eed_0000;

/** A restart is over within this time. */
const RESTART_MS = 60_000;

/** Runs one scenario to its end and judges it. With `traced` the trace is there although every promise was kept. */
export function runScenario(setting: Setting, scenario: Scenario, traced = false): Promise<Report> {
  return new ScenarioRun(setting, scenario).run(traced);
}

class ScenarioRun {
  readonly #setting: Setting;
  readonly #scenario: Scenario;
  readonly #isMoment: boolean;
  readonly #safety: Safety;
  readonly #leadership: Leadership;
  readonly #findings: Finding[] = [];
  readonly #world: World;
  readonly #deeds: Deeds;
  readonly #quiet: Quiet;
  readonly #idleWrites: IdleWrites;
  #writes = 0;
  #lives = 0;

  constructor(setting: Setting, scenario: Scenario) {
    this.#setting = setting;
    this.#scenario = scenario;
    this.#isMoment = scenario.isSettled === true;
    this.#leadership = new Leadership(() => this.#world.timeline.nowMs);
    this.#safety = new Safety(setting.kinds, this.#leadership, (name) => this.#world.leaseOf(name));
    this.#world = new World({
      ...setting,
      ...scenario,
      ...(this.#isMoment
        ? { from: setting.settled.state, beginsMs: setting.settled.nowMs, uidSeed: MOMENT_UIDS }
        : { from: setting.state }),
      observer: {
        sent: (end, request, passage) => {
          this.#safety.sent(end, request, passage);
          if (passage.type === 'carried' && passage.rival?.when === 'before') this.#rival(request, passage.rival);
        },
        answered: (end, request, answer, passage) => {
          this.#safety.answered(end, request, answer);
          if (end.lane !== this.#world.personLane) this.#quiet.answered(request, answer.status);
          if (passage.type === 'carried' && passage.rival?.when === 'after') this.#rival(request, passage.rival);
        },
      },
      onWrite: (event) => {
        this.#safety.stored(event);
        this.#leadership.stored(event);
        if (!isOfContent(event)) return;
        this.#quiet.disturbed();
        this.#writes += 1;
      },
    });
    if (this.#isMoment) this.#world.vault.inherit(setting.settled.vault);
    this.#quiet = new Quiet(this.#world, this.#leadership);
    this.#safety.observe(this.#world);
    this.#deeds = new Deeds(this.#world, setting);
    this.#idleWrites = new IdleWrites(this.#safety.counts, this.#world.gate);
  }

  async run(traced: boolean): Promise<Report> {
    const world = this.#world;
    try {
      for (let index = 0; index < this.#scenario.replicas; index++) world.start(index);
      if (this.#isMoment) await this.#beginIdly(BEGIN_MS);
      else await this.#playFirst();
      // A promise that is broken already is worth more than those that might follow.
      if (!this.#isBroken()) await this.#playSequel();
      if (!this.#isBroken()) await this.#staySilent();
      if (!this.#isBroken() && !this.#isMoment) await this.#restartIdly();
    } finally {
      world.close();
    }
    const { timeline, trace, failures } = world;
    const ended = failures.map((message) => ({ oracle: 'the service never ends by itself', message, atMs: 0 }));
    const findings = [...this.#safety.findings, ...ended, ...this.#findings];
    return {
      scenario: this.#scenario,
      findings,
      hash: trace.hash(),
      trace: findings.length > 0 || traced ? trace.lines : [],
      counts: this.#safety.counts,
      virtualMs: timeline.nowMs,
      steps: timeline.steps,
      lives: this.#lives,
    };
  }

  async #playFirst(): Promise<void> {
    await this.#play(this.#scenario);
    this.#lives = this.#world.lives;
    if (!this.#isBroken()) await this.#settle(this.#scenario, BOUND_MS);
    if (!this.#isBroken()) this.#judgeIdleWrites();
  }

  /** Somebody writes to what a request of the service names. */
  #rival({ path }: TransportRequest, { how, pick }: PlannedRival): void {
    this.#deeds.begin({ type: 'rival', path: path.split('?')[0] ?? '', how, pick });
  }

  #isBroken(): boolean {
    return this.#safety.findings.length + this.#findings.length > 0;
  }

  /** Lets so much time pass, or less where a promise is broken: what comes after that is no news. */
  async #pass(ms: number, isOver: () => boolean = () => false): Promise<void> {
    await this.#world.pass(ms, () => this.#isBroken() || isOver());
    if (!this.#isBroken() && this.#world.timeline.isRunaway) this.#find('nothing is asked in a hot loop', RUNAWAY);
  }

  /** What follows begins when all is as it should be. Where nothing goes wrong then, nothing has to be waited for. */
  async #playSequel(): Promise<void> {
    const { sequel } = this.#scenario;
    if (sequel === undefined) return;
    const { gate, timeline, trace } = this.#world;
    trace.note('scenario', 'all is as it should be, and the sequel begins');
    const plan = postponed(sequel, timeline.nowMs);
    gate.plan(plan.faults);
    await this.#play(plan);
    if (!this.#isBroken()) await this.#settle(plan, plan.faults.length === 0 ? PROMPT_MS : BOUND_MS);
    if (!this.#isBroken()) this.#judgeIdleWrites();
  }

  async #play(plan: Plan): Promise<void> {
    const world = this.#world;
    for (const { atMs, ...deed } of plan.acts) world.at(atMs, () => this.#deeds.begin(deed));
    planTimedFaults(world, plan.faults);
    await this.#pass(calmFromMs(plan) - world.timeline.nowMs);
    await this.#calmDown();
  }

  /** Faults and deeds are over; whoever is down comes back. */
  async #calmDown(): Promise<void> {
    const world = this.#world;
    world.gate.calm();
    world.trace.note('scenario', 'all is calm from here');
    const isAwake = ({ lane }: Replica): boolean => lane.pausedUntilMs <= world.timeline.nowMs;
    const isDone = (): boolean =>
      this.#deeds.pending === 0 &&
      !world.hasUnderWay &&
      world.replicas.length === this.#scenario.replicas &&
      world.replicas.every(isAwake);
    await this.#pass(5 * 60_000, isDone);
    this.#quiet.disturbed();
  }

  /** Lets time pass until the cluster is what its objects ask for, or the time in which everything is tried again is over. */
  async #settle({ acts }: Plan, boundMs: number): Promise<void> {
    const world = this.#world;
    const end = world.timeline.nowMs + boundMs;
    const promise = boundMs === BOUND_MS ? 'it comes to what is asked for' : 'a change at rest arrives within a minute';
    // Nothing tells of a change in Vault; a look from time to time finds it.
    const isSeenAtOnce = acts.every(({ type }) => type !== 'meddleVault');
    for (let judged = -1; ; judged = this.#writes) {
      await this.#pass(
        end - world.timeline.nowMs,
        () => isSeenAtOnce && judged !== this.#writes && this.#quiet.isQuiet,
      );
      if (this.#isBroken()) return;
      const isLast = world.timeline.nowMs >= end;
      // A watch that ended of age just then is no sign of trouble.
      if (isLast) await this.#pass(LAST_QUIET_MS, () => this.#quiet.isQuiet);
      if (isLast && !this.#quiet.isQuiet) {
        this.#find(
          'eventually stable',
          `something was still to come ${boundMs / 60_000} min after the last disturbance: a write, a watch or a lead`,
        );
        return;
      }
      const limits = { boundMs: BOUND_MS, quietMs: QUIET_MS };
      const wrong = await differencesFromFresh(world, this.#setting, this.#scenario.seed, limits);
      if (wrong.length === 0) return;
      if (!isLast) continue;
      for (const difference of wrong.slice(0, 3)) this.#find(promise, difference);
      return;
    }
  }

  #judgeIdleWrites(): void {
    const wrong = this.#idleWrites.judge();
    if (wrong !== undefined) this.#find('faults cost few writes', wrong);
  }

  async #staySilent(): Promise<void> {
    if (this.#quiet.isOwed) return;
    const { counts } = this.#safety;
    const before = { ...counts };
    await this.#pass(!this.#isMoment && this.#scenario.seed % LONG_SILENCES === 0 ? LONG_SILENCE_MS : SILENCE_MS);
    if (counts.writes > before.writes) this.#find('silent at rest', `${counts.writes - before.writes} writes`);
    if (counts.idle > before.idle) this.#find('silent at rest', `${counts.idle - before.idle} writes of nothing`);
    if (counts.events > before.events) this.#find('silent at rest', `${counts.events - before.events} Events`);
  }

  async #restartIdly(): Promise<void> {
    if (mayChangeHands(this.#scenario) || this.#quiet.isOwed) return;
    for (const [index] of Array.from({ length: this.#scenario.replicas }).entries()) this.#world.stop(index, 1000);
    await this.#beginIdly();
  }

  /** A service that starts on a cluster that is as it should be has nothing to write. */
  async #beginIdly(quietMs = QUIET_MS): Promise<void> {
    const before = { ...this.#safety.counts };
    const stoppedMs = this.#world.timeline.nowMs;
    await this.#pass(RESTART_MS, () => this.#leadership.changedMs > stoppedMs && this.#quiet.hasBeenFor(quietMs));
    const { writes, idle } = this.#safety.counts;
    if (writes + idle > before.writes + before.idle) {
      this.#find(
        'a restart at rest writes nothing',
        `${writes - before.writes} writes, ${idle - before.idle} of nothing`,
      );
    }
  }

  #find(oracle: string, message: string): void {
    this.#findings.push({ oracle, message, atMs: this.#world.timeline.nowMs });
  }
}
