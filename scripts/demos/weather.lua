-- weather.lua: a leap year of hourly readings at three places, with gaps, as a CSV file: words, times and numbers. The
-- readings are corrected by the last calibration before them, and averaged by month, hour and day. Writes weather.csv,
-- calibrations.csv and weather.png: an hour in a row, a day in a column.
local strew = require "strew"
local common = dofile((arg and arg[0] or ""):gsub("[^/]*$", "common.lua"))
local file, log = common.folder .. "/weather.csv", common.folder .. "/calibrations.csv"
local places = strew.table{{"place", {"Harbour", "Meadow", "Ridge"}}, {"metres", {3, 140, 1210}}}

-- The hours of 2024 at a place: warm in July and in the afternoon, 6.5 degrees colder for each kilometre of height.
strew.manual_seed(3)
local hours = 366 * 24
local hour = strew.arange(hours)
local function readings(place, metres)
  local year, day = (hour / hours * 2 * math.pi - 0.3):cos(), ((hour % 24 - 15) / 24 * 2 * math.pi):cos()
  local celsius = ((day * 4 - year * 9 + 11 - 0.0065 * metres + strew.randn(hours)) * 10):round():to "float64" / 10
  celsius[strew.rand(hours):lt(0.01)] = 0 / 0 -- a gap
  local x = strew.table{{"time", strew.time "2024-01-01" + hour * 3600}}
  x.place = place
  x.celsius = celsius
  return x
end

local all = {}
for i, place in ipairs(places.place:tolist()) do all[i] = readings(place, places.metres[i - 1]) end
strew.save(file, strew.sort_by(strew.concat(all), "time"))
-- Every eight weeks somebody notes by how much the thermometers are off.
strew.save(log, strew.table{{"time", strew.time "2024-01-01" + strew.arange(7) * (56 * 86400)},
  {"off", {0.0, 0.5, 1, 0.5, 0, -0.5, 0}}})

local x = strew.load(file, {dates = true})
common.check("rows of weather.csv", #x, 3 * hours)
common.check("gaps", x.celsius:isnan():sum():item(), all[1].celsius:isnan():sum():item() +
  all[2].celsius:isnan():sum():item() + all[3].celsius:isnan():sum():item())
x = x:asof(strew.load(log, {dates = true}), "time")
x.celsius = x.celsius - x.off
x.month, x.hour = strew.floor_time(x.time, "month"), strew.calendar(x.time).hour
common.check("readings of 29 February", (x.time:ge "2024-02-29" & x.time:lt "2024-03-01"):sum():item(), 72)

local by_month = x:group_by{"place", "month"}:agg{
  {"mean", "mean", "celsius", skip_nan = true}, {"least", "min", "celsius", skip_nan = true},
  {"most", "max", "celsius", skip_nan = true}}
by_month = by_month:join(places, "place")
print(by_month[by_month.place:eq "Ridge"])
for _, place in ipairs(places.place:tolist()) do
  local own = by_month[by_month.place:eq(place)]
  common.check("the warmest month, " .. place, own.month[own.mean:argmax():item()], "2024-07-01")
end

-- The mean of each hour of the day, the same on every device.
local function means(device)
  local g = strew.group_by(x.hour:to(device))
  return {g:mean(x.celsius:to(device), {skip_nan = true}), g:std(x.celsius:to(device), {skip_nan = true})}
end
local of_hour = table.unpack(common.on_devices(means, "float64"))
common.check("the warmest hour of the day", of_hour:argmax():item(), 15)

-- The last day's mean at each hour, and the picture.
local ridge = x[x.place:eq "Ridge"]
local last_day = strew.rolling(ridge.celsius, 24, {"mean", skip_nan = true}, {min_count = 22})
common.check("the coldest day of the Ridge ended", strew.floor_time(
  ridge.time[last_day:argmin{skip_nan = true}:item()], "day"):item(), "2024-01-13")
local picture = ridge.celsius:view(366, 24):t()
picture = strew.where(picture:isnan(), picture:mean{skip_nan = true}, picture)
strew.save(common.folder .. "/weather.png", strew.image(picture, {scale = 3}))
strew.show(picture)
common.finish()
