import assert from "node:assert/strict";
import { test } from "node:test";

import { lengthOf, localTime, minutesAndSeconds, WorkedTime } from "../../static/js/clock.js";

test("times are whole seconds that have passed", () => {
  assert.equal(minutesAndSeconds(0), "0:00");
  assert.equal(minutesAndSeconds(4.9), "0:04");
  assert.equal(minutesAndSeconds(725), "12:05");
  assert.equal(minutesAndSeconds(3729), "1:02:09");
  assert.equal(minutesAndSeconds(Number.NaN), "0:00");
});

test("a length is never nothing", () => {
  assert.equal(lengthOf(0.3), "0:01");
  assert.equal(lengthOf(8.12), "0:08");
});

test("a local time says its zone", () => {
  const { time, zone } = localTime(new Date(2026, 0, 2, 14, 3, 21));

  assert.equal(time, "14:03:21");
  assert.match(zone, /UTC[+-]\d\d:\d\d/);
});

test("time counts for a minute after the last act", () => {
  const worked = new WorkedTime(0);

  worked.tick(300_000);

  assert.equal(worked.seconds, 60);
});

test("an act after a rest does not count the rest", () => {
  const worked = new WorkedTime(0);

  worked.act(300_000);
  worked.tick(310_000);

  assert.equal(worked.seconds, 70);
});

test("a page that is not seen does not work", () => {
  const worked = new WorkedTime(0);

  worked.setSeen(false, 10_000);
  worked.act(20_000);
  worked.setSeen(true, 30_000);
  worked.act(30_000);
  worked.tick(35_000);

  assert.equal(worked.seconds, 15);
});

test("ticks in any number give the same sum", () => {
  const often = new WorkedTime(0);
  const once = new WorkedTime(0);

  for (let ms = 0; ms <= 45_000; ms += 500) often.tick(ms);
  once.tick(45_000);

  assert.equal(often.seconds, once.seconds);
});
